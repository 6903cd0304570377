package http

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

// maxBody is the largest request body in bytes, except for the operations that
// say otherwise.
const maxBody = 1 << 20

const jsonType = "application/json"

// maxBody returns the bytes that a body of the operation may have; those of an
// unknown operation are bounded like any other.
func (e *endpoint) maxBody() int64 {
	if e == nil || e.op.MaxBody == 0 {
		return maxBody
	}
	return e.op.MaxBody
}

// tooLarge is the refusal of a body above a limit.
func tooLarge(limit int64) error {
	return fault.RequestEntityTooLarge.New(nil).WithRemedy("keep the body below %d MiB", limit>>20)
}

const (
	freeBody   = 64 << 10 // bytes of a body that anybody may send at any time
	bodyBudget = 64 << 20 // bytes of longer bodies that are being handled at once
)

// budgets bound the memory of long bodies: one for callers with a session, one
// for everybody else, so that strangers cannot use up that of callers.
type budgets struct{ callers, strangers *semaphore.Weighted }

func newBudgets() budgets {
	return budgets{callers: semaphore.NewWeighted(bodyBudget), strangers: semaphore.NewWeighted(bodyBudget)}
}

// readBody reads the whole body into c.in, at most as many bytes as the operation
// allows. A long one
// needs room in a budget, which reset gives back.
func (c *call) readBody() error {
	if c.r.Body == nil || c.r.Body == http.NoBody {
		return nil
	}
	n, err := c.in.ReadFrom(io.LimitReader(c.r.Body, freeBody))
	if n == freeBody && err == nil {
		err = c.readLong()
	}
	switch {
	case int64(c.in.Len()) > c.ep.maxBody():
		return tooLarge(c.ep.maxBody())
	case errors.As(err, new(*fault.Error)):
		return err
	case err != nil:
		return fault.CouldNotReadBody.New(err)
	}
	return nil
}

// readLong reads what follows the first part of a long body.
func (c *call) readLong() error {
	size := c.ep.maxBody() + 1
	if c.r.ContentLength > 0 {
		size = min(c.r.ContentLength, size)
	}
	budget := c.s.bodies.strangers
	if c.caller != nil {
		budget = c.s.bodies.callers
	}
	if !budget.TryAcquire(size) {
		c.w.Header()["Connection"] = []string{"close"} // the rest is not read
		return fault.TooManyRequests.Errorf("too many long request bodies at once")
	}
	c.release = func() { budget.Release(size) }
	// ReadFrom wants room for a little more than what comes.
	c.in.Grow(int(size) - c.in.Len() + bytes.MinRead)
	_, err := c.in.ReadFrom(io.LimitReader(c.r.Body, size-int64(c.in.Len())))
	return err
}

// checkTypes judges Content-Type and Accept.
func (e *endpoint) checkTypes(r *http.Request) error {
	if r.ContentLength != 0 && e.check != nil {
		if ct := r.Header.Get("Content-Type"); ct != "" && ct != jsonType {
			media, _, err := mime.ParseMediaType(ct)
			if err != nil || media != jsonType && !slices.Contains(e.op.Consumes, media) {
				return fault.UnsupportedMediaType.Field("Content-Type",
					"unsupported media type \""+media+"\", only ["+strings.Join(append([]string{jsonType}, e.op.Consumes...), " ")+"] are allowed", ct)
			}
		}
	}
	if len(e.op.Produces) > 0 || acceptsJSON(r.Header["Accept"]) {
		return nil
	}
	accept := strings.Join(r.Header["Accept"], ",")
	return fault.NotAcceptable.Field("Accept", "unsupported media type requested, only [application/json] are available", accept)
}

func acceptsJSON(values []string) bool {
	if len(values) == 0 {
		return true
	}
	for _, v := range values {
		if v == jsonType || v == "*/*" || v == "" {
			return true
		}
		for part := range strings.SplitSeq(v, ",") {
			media, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case jsonType, "application/*", "*/*":
				return true
			}
		}
	}
	return false
}

// parse decodes a JSON body into a new value of the operation's type and checks
// it against the contract. It returns a pointer to the value, nil for an absent
// body that is not required.
func (e *endpoint) parse(text []byte) (any, error) {
	b := e.op.Body
	if len(bytes.TrimSpace(text)) == 0 {
		if b.Required {
			return nil, fault.CouldNotValidate.Field(b.Name, b.Name+" in body is required", "")
		}
		return nil, nil
	}
	if err := checkText(text); err != nil {
		return nil, err
	}
	value := reflect.New(b.Type)
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(value.Interface()); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if member := culprit(b.Type, text); member != "" && !errors.As(err, new(*json.UnmarshalTypeError)) {
			err = fmt.Errorf("%s: %w", member, err)
		}
		return nil, fault.CouldNotParseBody.Errorf("parsing %s body from \"\" failed, because %w", b.Name, err)
	}
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) && b.Required {
		return nil, fault.CouldNotValidate.Field(b.Name, b.Name+" in body is required", "")
	}
	if err := e.check.Check(value.Interface()); err != nil {
		return nil, err
	}
	return value.Interface(), nil
}

// culprit returns the path of the first member of a JSON text that does not fit
// its type, empty if there is none or the text is no JSON.
func culprit(t reflect.Type, text []byte) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if json.Unmarshal(text, reflect.New(t).Interface()) == nil {
		return ""
	}
	if t.Kind() == reflect.Slice {
		var items []json.RawMessage
		if json.Unmarshal(text, &items) == nil {
			for i, item := range items {
				if inner := culprit(t.Elem(), item); inner != "" {
					return strconv.Itoa(i) + "." + inner
				}
			}
		}
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return ""
	}
	for _, f := range api.Fields(t, api.AllModes) {
		for name, member := range members {
			if !strings.EqualFold(name, f.Name) || json.Unmarshal(member, reflect.New(f.Type).Interface()) == nil {
				continue
			}
			if inner := culprit(f.Type, member); inner != "" {
				return f.Name + "." + inner
			}
			return f.Name
		}
	}
	return ""
}
