package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// writeTimeout bounds the handling of a request that changes something; reads
// never wait.
const writeTimeout = 10 * time.Second

// longTimeout does so for operations with larger bodies than others.
const longTimeout = time.Minute

// handler does the work of one operation. It answers through the call; an error
// becomes the error envelope.
type handler func(c *call) error

// call is one request on its way. It is used by one goroutine and reused.
type call struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	ep     *endpoint
	api    api.API
	params [maxParams]string
	caller *Caller // nil for public operations
	body   any     // pointer to the decoded body, nil if there is none
	raw    []byte  // the body as it came

	state  *state.View
	policy *policy.View

	in      bytes.Buffer
	release func() // gives the memory of a long body back, nil for others

	steps int // values that filters and orders have looked at, see tooMuch

	out []byte
	zip bytes.Buffer
}

// id returns the first path parameter.
func (c *call) id() string { return c.params[0] }

// reset makes the call ready for reuse, keeping buffers of moderate size.
func (c *call) reset() {
	in, out, zip := c.in, c.out[:0], c.zip
	if cap(out) > maxBody {
		out = nil
	}
	if in.Cap() > maxBody/4 {
		in = bytes.Buffer{}
	}
	if zip.Cap() > maxBody/4 {
		zip = bytes.Buffer{}
	}
	in.Reset()
	zip.Reset()
	if c.release != nil {
		c.release()
	}
	*c = call{in: in, out: out, zip: zip}
}

// serve runs a request through the checks in their order: size, session, types,
// JSON, contract, permission; then the operation itself.
func (c *call) serve() {
	defer func() {
		if p := recover(); p != nil {
			c.s.log.Error("handler panicked", "operation", c.ep.op.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.fail(fault.Unhandled.Errorf("internal error"))
		}
	}()
	if err := c.prepare(); err != nil {
		c.fail(err)
		return
	}
	c.ctx = c.r.Context()
	if c.r.Method != http.MethodGet {
		ctx, cancel := context.WithTimeout(c.ctx, c.ep.timeout())
		defer cancel()
		c.ctx = ctx
	}
	c.state, c.policy = c.s.cfg.State(), c.s.cfg.Policies()
	err := c.ep.handle(c)
	if err != nil {
		c.fail(err)
	}
	if c.caller != nil {
		c.s.cfg.Watcher.request(c, err)
	}
}

func (c *call) prepare() error {
	rule := c.ep.op.Access.Rule
	if rule != api.Public {
		caller, err := c.s.cfg.Auth.Authenticate(c.r)
		if err != nil {
			return err
		}
		c.caller = caller
		c.expiry(caller.ExpiresAt, caller.Timeout)
	}
	if rule == api.NotImplemented {
		return nil
	}
	if err := c.ep.checkTypes(c.r); err != nil {
		return err
	}
	if c.ep.op.MaxBody > 0 { // much is read only for those who may send it
		if err := c.ep.permitted(c.caller); err != nil {
			return err
		}
	}
	if c.ep.check != nil {
		if err := c.takeBody(); err != nil {
			return err
		}
	}
	return c.ep.permitted(c.caller)
}

func (e *endpoint) timeout() time.Duration {
	if e.op.MaxBody > 0 {
		return longTimeout
	}
	return writeTimeout
}

// takeBody reads the body and decodes it.
func (c *call) takeBody() error {
	if err := c.readBody(); err != nil {
		return err
	}
	c.raw = c.in.Bytes()
	if len(c.ep.op.Consumes) > 0 && !isJSON(c.r) {
		return nil // the handler knows what to do with the text
	}
	var err error
	c.body, err = c.ep.parse(c.raw)
	return err
}

func isJSON(r *http.Request) bool {
	ct := r.Header.Get("Content-Type")
	return len(ct) >= len(jsonType) && ct[:len(jsonType)] == jsonType
}

// expiry sets the headers that tell how long the session lasts.
func (c *call) expiry(at time.Time, timeout time.Duration) {
	h := c.w.Header()
	h["Expiration-Seconds"] = []string{strconv.FormatInt(int64(timeout/time.Second), 10)}
	h["Expires-At"] = []string{at.UTC().String()}
}

// detail answers with one value in the envelope; ptr points to the type of the
// operation's result.
func (c *call) detail(ptr any) error {
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, ptr)
	c.out = append(b, `,"meta":{}}`+"\n"...)
	c.send(c.ep.op.Result.Status)
	return nil
}

// plain answers with one value that has no envelope.
func (c *call) plain(ptr any) error {
	c.out = append(c.ep.encode.Append(c.out[:0], ptr), '\n')
	c.send(c.ep.op.Result.Status)
	return nil
}

// done answers with the empty envelope.
func (c *call) done() error {
	c.out = append(c.out[:0], `{"data":{},"meta":{}}`+"\n"...)
	c.send(c.ep.op.Result.Status)
	return nil
}

// created answers with the id of a new entity.
func (c *call) created(links *api.LinkSet, id string) error {
	self := api.LinkSet{Plural: links.Plural}
	return c.detail(&api.Created{Links: api.Links{Set: &self, ID: id}, ID: id})
}

// bare answers with an empty body.
func (c *call) bare() error {
	c.out = c.out[:0]
	c.send(http.StatusOK)
	return nil
}

// array answers with a list that has no pages; ptrs are yielded one by one.
func (c *call) array(each func(yield func(ptr any) bool)) error {
	b := append(c.out[:0], `{"data":[`...)
	first := true
	each(func(ptr any) bool {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = c.ep.encode.Append(b, ptr)
		return true
	})
	c.out = append(b, `],"meta":{}}`+"\n"...)
	c.send(http.StatusOK)
	return nil
}

// send writes c.out as JSON, compressed if the client wants it and it is worth
// it.
func (c *call) send(status int) {
	h := c.w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = []string{jsonType}
	}
	body := c.out
	if len(body) >= compressAbove {
		if enc := encodingFor(c.r.Header.Get("Accept-Encoding")); enc != "" {
			c.zip.Reset()
			if err := c.s.compressors.compress(enc, body, &c.zip); err == nil {
				body = c.zip.Bytes()
				h["Content-Encoding"] = []string{enc}
			}
		}
		h["Vary"] = []string{"Accept-Encoding"}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.w.WriteHeader(status)
	if _, err := c.w.Write(body); err != nil {
		c.s.log.Debug("client went away", "operation", c.operation(), "error", err.Error())
	}
}

func (c *call) operation() string {
	if c.ep == nil {
		return ""
	}
	return c.ep.op.ID
}

// notImplemented answers operations that are declared only.
func notImplemented(c *call) error {
	id := c.ep.op.ID
	text, err := json.Marshal("operation " + strings.ToLower(c.ep.op.Tag) + "." + strings.ToUpper(id[:1]) + id[1:] + " has not yet been implemented")
	if err != nil {
		return err
	}
	c.out = append(c.out[:0], text...)
	c.send(http.StatusNotImplemented)
	return nil
}
