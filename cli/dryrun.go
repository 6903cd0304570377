package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// request is a request that a dry run did not send.
type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query,omitempty"`
	Body   any    `json:"body,omitempty"` // JSON, or text
	// Changes are the members of an entity that would have another value.
	Changes []memberChange `json:"changes,omitempty"`
}

// memberChange is a member before and after a change.
type memberChange struct {
	Member string `json:"member"`
	Before any    `json:"before"`
	After  any    `json:"after"`
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
	next http.RoundTripper
	dry  bool
	keep bool
	// readOnly refuses changes, see reads.
	readOnly bool
	held     []request
	answer   []byte // of the last change, or of the last read if there was none
	wrote    bool   // answer is that of a change
}

// RoundTrip sends a request, or holds it back.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.dry && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return w.hold(r)
	}
	if w.readOnly && !reads(r) {
		return nil, &failure{code: "READ_ONLY_CONTEXT", cause: "this context was made with weft login --read-only", remedy: "log in without --read-only, or use another --context", exit: ExitRefused}
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

// reads reports whether a request changes nothing but one's own session.
func reads(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	for _, end := range []string{"/authenticate", "/authenticate/mfa", "/current-api-session", "/inspections", "/what-if", "/diff"} {
		if strings.HasSuffix(r.URL.Path, end) {
			return true
		}
	}
	return false
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
	for i := range held {
		held[i].compare(c)
	}
	p := printout{value: map[string]any{"dryRun": true, "requests": held}, headers: []string{"METHOD", "PATH", "QUERY", "BODY"}, names: []string{}}
	for _, r := range held {
		p.rows = append(p.rows, []string{r.Method, r.Path, r.Query, memberText(r.Body)})
		p.names = append(p.names, r.Method+" "+r.Path)
	}
	p.text = func(w io.Writer) error { return printHeld(w, held) }
	return c.tool.style.print(c.cmd.OutOrStdout(), p)
}

// compare finds out what an update would change.
func (r *request) compare(c *call) {
	body, ok := r.Body.(map[string]any)
	if !ok || r.Method != http.MethodPatch && r.Method != http.MethodPut {
		return
	}
	old, err := fetch[object](c, c.m, r.Path)
	if err != nil {
		return // it is no entity, and the request says all
	}
	before, err := plainJSON(map[string]any(*old))
	if err != nil {
		return
	}
	after, err := plainJSON(body)
	if err != nil {
		return
	}
	r.Changes = memberChanges(before.(map[string]any), after.(map[string]any))
}

// memberChanges compares the members of after with those of before, ordered by
// name.
func memberChanges(before, after map[string]any) []memberChange {
	changes := []memberChange{}
	for name, value := range after {
		if !reflect.DeepEqual(before[name], value) {
			changes = append(changes, memberChange{name, before[name], value})
		}
	}
	slices.SortFunc(changes, func(a, b memberChange) int { return strings.Compare(a.Member, b.Member) })
	return changes
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
		if err := r.printBody(&b); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *request) printBody(b *bytes.Buffer) error {
	var rows [][]string
	object, isObject := r.Body.(map[string]any)
	switch {
	case r.Changes != nil && len(r.Changes) == 0:
		b.WriteString("  nothing changes\n")
	case r.Changes != nil:
		for _, m := range r.Changes {
			rows = append(rows, []string{"  " + m.Member, printable(memberText(m.Before)), "->", printable(memberText(m.After))})
		}
	case isObject:
		members, err := memberRows(object)
		if err != nil {
			return err
		}
		for _, m := range members {
			rows = append(rows, []string{"  " + m[0], m[1]})
		}
	case r.Body != nil:
		rows = append(rows, []string{"  body", memberText(r.Body)})
	}
	return printTable(b, nil, rows)
}
