package ingress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
)

// maxRequest bounds the line that names a service, in bytes.
const maxRequest = 4 << 10

// request is the first line of a connection of the transport bindings.
type request struct {
	ID      string `json:"id"`    // the program's name for the connection
	Service string `json:"svcId"` // name or id
}

// answer is the line that answers a request.
type answer struct {
	Success bool   `json:"scc"`
	Message string `json:"msg"`
	Circuit string `json:"circuitId"`
}

var errRequest = errors.New(`the first line has to be {"id":"<any>","svcId":"<service>"}`)

// readRequest reads the line of a stream, and what has come behind it.
func readRequest(conn net.Conn) (service string, early []byte, err error) {
	buf := make([]byte, 0, maxRequest)
	for len(buf) < maxRequest {
		n, err := conn.Read(buf[len(buf):maxRequest])
		fresh := len(buf)
		buf = buf[:len(buf)+n]
		if i := bytes.IndexByte(buf[fresh:], '\n'); i >= 0 {
			i += fresh
			service, err := parseRequest(buf[:i])
			return service, buf[i+1:], err
		}
		if err != nil {
			return "", nil, fmt.Errorf("%w: %w", errRequest, err)
		}
	}
	return "", nil, fmt.Errorf("%w: it is longer than %d bytes", errRequest, maxRequest)
}

func parseRequest(line []byte) (string, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil || r.Service == "" {
		return "", errRequest
	}
	return r.Service, nil
}

// answer says whether there is a circuit.
func (r *ramps) answer(circuit string, err error) []byte {
	a := answer{Success: err == nil, Circuit: circuit}
	if err != nil {
		code, remedy := explain(err, r.cfg.RouterID)
		a.Circuit = ""
		if a.Message = err.Error(); !errors.Is(err, errRequest) {
			a.Message = fmt.Sprintf("%s: %v; %s", code, err, remedy)
		}
	}
	b, _ := json.Marshal(a) // of plain texts
	return append(b, '\n')
}

// closeAfter closes conn when ctx ends, until stop is called; it reports false
// if that has happened.
func closeAfter(ctx context.Context, conn net.Conn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { conn.Close() })
}
