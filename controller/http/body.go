package http

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
)

// maxBody is the largest request body in bytes.
const maxBody = 1 << 20

const jsonType = "application/json"

// tooLarge reports a body whose announced length is above the limit, before
// anything of it is read.
func tooLarge(r *http.Request) bool { return r.ContentLength > maxBody }

// readBody reads the whole body into buf, at most maxBody bytes.
func readBody(r *http.Request, buf *bytes.Buffer) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	n, err := buf.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	if n > maxBody {
		return fault.RequestEntityTooLarge.New(nil)
	}
	if err != nil {
		return fault.CouldNotReadBody.New(err)
	}
	return nil
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
	value := reflect.New(b.Type)
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(value.Interface()); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
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
