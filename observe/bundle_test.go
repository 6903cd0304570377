package observe

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

const sauce = "S3cretSauce"

// planted are texts with a secret, which has to go, and a part that has to stay.
var planted = []struct{ text, stays string }{
	{"-----BEGIN EC PRIVATE KEY-----\\n" + sauce + "\\n-----END EC PRIVATE KEY----- after", "after"},
	{"-----BEGIN PRIVATE KEY-----\n" + sauce, ""},
	{`{"jwt":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIi` + sauce + `.sig` + sauce + `","id":"x1"}`, `"id":"x1"`},
	{`"hash":"$argon2id$v=19$m=65536,t=1,p=4$` + sauce + `$` + sauce + `","n":1`, `"n":1`},
	{"$2a$10$" + sauce + " rest", "rest"},
	{`"uri":"otpauth://totp/weft:admin?secret=` + sauce + `&x=1"`, `"uri"`},
	{`"url":"https://user:` + sauce + `@hooks.example/path","after":true`, "hooks.example/path"},
	{`"url":"https://hooks.example/path?key=` + sauce + `"`, "hooks.example/path"},
	{"Authorization: Bearer " + sauce + "12345678", "Authorization"},
	{`zt-session: ` + sauce, "zt-session"},
	{`"zt-session":["` + sauce + `"]`, "zt-session"},
	{`{"password":"` + sauce + `","name":"bob"}`, "bob"},
	{`{"apiToken" : "a\"` + sauce + `","name":"bob"}`, "bob"},
	{`{"recoveryCodes":["` + sauce + `","b"],"name":"bob"}`, "bob"},
	{`level=info msg=login password=` + sauce + ` user=bob`, "user=bob"},
}

func TestRedact(t *testing.T) {
	for _, p := range planted {
		got := string(Redact([]byte(p.text)))
		if strings.Contains(got, sauce) || !strings.Contains(got, p.stays) {
			t.Errorf("%s\nbecomes %s", p.text, got)
		}
		if json.Valid([]byte(p.text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s is JSON, %s is none", p.text, got)
		}
	}
	harmless := `{"key":"/etc/weft/ctrl.key","tokenLifetime":"30m","address":"tls:ctrl.example:1280","url":"https://ctrl.example:1280/edge"}`
	if got := string(Redact([]byte(harmless))); got != harmless {
		t.Errorf("%s becomes %s", harmless, got)
	}
}

func TestBundle(t *testing.T) {
	var out bytes.Buffer
	b := NewBundle(&out, "weft test", "1.0", time.Unix(1000, 0))
	for _, p := range planted {
		if err := b.Add("texts/one", "a text", []byte(p.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddJSON("value.json", "a value", map[string]string{"password": sauce, "name": "bob"}); err != nil {
		t.Fatal(err)
	}
	b.Miss("links.json", errors.New("https://bob:"+sauce+"@ctrl did not answer"))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	var m Manifest
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		text, err2 := io.ReadAll(r)
		if err != nil || err2 != nil || h.Mode != 0o600 || bytes.Contains(text, []byte(sauce)) {
			t.Fatalf("%s (%o): %v %v %s", h.Name, h.Mode, err, err2, text)
		}
		if h.Name == "manifest.json" {
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(m.Files) != len(planted)+1 || m.Files[0].Doc != "a text" || m.Missing["links.json"] == "" {
		t.Errorf("manifest %+v", m)
	}
}
