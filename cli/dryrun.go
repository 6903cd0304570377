package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

// request is a request that a dry run did not send.
type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query,omitempty"`
	Body   any    `json:"body,omitempty"` // JSON, or text
}

// changing adds the flag --dry-run to a command that changes something. With
// it, requests other than GET are shown instead of sent and count as done, with
// an empty id in the answer.
func (t *tool) changing(c *cobra.Command) {
	c.Flags().BoolVar(&t.dryRun, "dry-run", false, "look up all names and show what would be sent, but change nothing")
}

// dry reports whether nothing may be changed.
func (c *call) dry() bool { return c.tool.dryRun }

// wire is the layer of a client that keeps the answers of the controller for -j
// and holds back the changes of a dry run. A command has one; it is not used
// concurrently.
type wire struct {
	next   http.RoundTripper
	dry    bool
	keep   bool
	held   []request
	answer []byte // of the last change, or of the last read if there was none
	wrote  bool   // answer is that of a change
}

// RoundTrip sends a request, or holds it back.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.dry && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return w.hold(r)
	}
	res, err := w.next.RoundTrip(r)
	if err != nil || !w.keep || res.StatusCode > 299 || w.wrote && r.Method == http.MethodGet {
		return res, err
	}
	b, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(b))
	w.answer, w.wrote = b, r.Method != http.MethodGet
	return res, nil
}

// CloseIdleConnections passes on.
func (w *wire) CloseIdleConnections() {
	if c, ok := w.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (w *wire) hold(r *http.Request) (*http.Response, error) {
	held := request{Method: r.Method, Path: r.URL.Path}
	if q, err := url.QueryUnescape(r.URL.RawQuery); err == nil {
		held.Query = q
	}
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil {
			return nil, err
		}
		if json.Unmarshal(b, &held.Body) != nil {
			held.Body = string(b)
		}
		held.Body = masked(held.Body)
	}
	w.held = append(w.held, held)
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"data":{"id":""},"meta":{}}`)), Request: r}, nil
}

// masked replaces secrets in a body.
func masked(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case map[string]any:
		for k := range v {
			switch strings.ToLower(k) {
			case "password", "currentpassword", "newpassword", "code", "token", "key":
				v[k] = "***"
			default:
				v[k] = masked(v[k])
			}
		}
	}
	return v
}

// reportHeld writes what a dry run held back.
func (c *call) reportHeld(held []request) error {
	if held == nil {
		held = []request{}
	}
	p := printout{value: map[string]any{"dryRun": true, "requests": held}, headers: []string{"METHOD", "PATH", "QUERY", "BODY"}, names: []string{}}
	for _, r := range held {
		p.rows = append(p.rows, []string{r.Method, r.Path, r.Query, memberText(r.Body)})
		p.names = append(p.names, r.Method+" "+r.Path)
	}
	p.text = func(w io.Writer) error { return printHeld(w, held) }
	return c.tool.style.print(c.cmd.OutOrStdout(), p)
}

func printHeld(w io.Writer, held []request) error {
	var b bytes.Buffer
	if len(held) == 0 {
		b.WriteString("nothing would change\n")
	}
	for _, r := range held {
		b.WriteString("would send " + r.Method + " " + printable(r.Path))
		if r.Query != "" {
			b.WriteString("?" + printable(r.Query))
		}
		b.WriteString("\n")
		var rows [][]string
		if object, ok := r.Body.(map[string]any); ok {
			members, err := memberRows(object)
			if err != nil {
				return err
			}
			for _, m := range members {
				rows = append(rows, []string{"  " + m[0], m[1]})
			}
		} else if r.Body != nil {
			rows = append(rows, []string{"  body", memberText(r.Body)})
		}
		if err := printTable(&b, nil, rows); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
