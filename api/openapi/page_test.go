package openapi

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
)

// TestPage checks that the pages are whole, lead nowhere but to themselves and
// to each other, and run nothing.
func TestPage(t *testing.T) {
	for a, title := range titles {
		text, err := New(a, Options{Version: "v1"}).Page()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("<title>Weft "+title+"</title>")) {
			t.Errorf("%s: no title", title)
		}
		for _, bad := range []string{"<script", "http://", "https://", "ZgotmplZ", "@import", "<no value>"} {
			if bytes.Contains(text, []byte(bad)) {
				t.Errorf("%s has %q in it", title, bad)
			}
		}
		anchors := map[string]bool{}
		for _, m := range regexp.MustCompile(`id="([^"]+)"`).FindAllSubmatch(text, -1) {
			anchors[string(m[1])] = true
		}
		for _, m := range regexp.MustCompile(`href="([^"]+)"`).FindAllSubmatch(text, -1) {
			to := string(m[1])
			name, inside := strings.CutPrefix(to, "#")
			if inside && !anchors[name] {
				t.Errorf("%s: %s leads nowhere", title, to)
			}
			if !inside && !strings.HasSuffix(to, "/docs") && !strings.HasSuffix(to, "/openapi.json") {
				t.Errorf("%s leads to %s", title, to)
			}
		}
		for _, op := range api.Of(a) {
			if !anchors[op.ID] {
				t.Errorf("%s is not on the page", op.ID)
			}
		}
		balanced(t, text)
	}
}

// balanced checks that every element is closed.
func balanced(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestPageEscapes gives a document texts that look like markup.
func TestPageEscapes(t *testing.T) {
	d := New(api.Fabric, Options{Version: "<b>"})
	op := d.Paths["/paths"]["get"]
	op.Summary, op.Parameters[0].Name = "<i>x</i>", `"><script>`
	d.Components.Schemas["<u>"] = &Schema{Type: "object", Properties: map[string]*Schema{"<s>": {Const: "</td>"}, "r": ref(`"><script>`)}}
	text, err := d.Page()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<i>", "<script>", "<u>", "<s>", "Version <b>"} {
		if bytes.Contains(text, []byte(bad)) {
			t.Errorf("%s got through", bad)
		}
	}
}
