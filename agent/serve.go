package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxArgs bounds the arguments of a request, in bytes.
const maxArgs = 64 << 10

// run answers POST /NAME.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		refuse(w, http.StatusServiceUnavailable, &Error{Code: CodeBusy, Message: fmt.Sprintf("%d requests are in progress", maxAtOnce), Remedy: "try again"})
		return
	}
	o, args, err := s.read(w, r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	s.cfg.Log.Debug("agent operation", "operation", o.Name)
	result, err := o.Do(r.Context(), args)
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	switch result := result.(type) {
	case Text:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, string(result)) // the caller has gone
	case File:
		sendFile(w, result)
	default:
		writeJSON(w, http.StatusOK, result)
	}
}

// sendFile sends a file as it comes about. One that fails on the way is cut, so
// that the caller does not take it for whole.
func sendFile(w http.ResponseWriter, f File) {
	out := &begun{ResponseWriter: w}
	w.Header().Set("Content-Type", "application/octet-stream")
	err := f(out)
	switch {
	case err != nil && out.yes:
		panic(http.ErrAbortHandler)
	case err != nil:
		refuse(w, http.StatusConflict, err)
	}
}

// begun notes whether anything was written.
type begun struct {
	http.ResponseWriter
	yes bool
}

// Write implements io.Writer.
func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}

// read returns the operation that a request names and its arguments.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (*Operation, Args, error) {
	name := r.PathValue("operation")
	o := s.operations[name]
	if o == nil {
		return nil, nil, &Error{Code: CodeUnknownOperation, Message: fmt.Sprintf("this %s has no operation %q", s.cfg.Info.App, name)}
	}
	if o.Debug && !s.cfg.DebugOps {
		return nil, nil, &Error{Code: CodeDebugOff, Message: name + " is a debug operation",
			Remedy: "start the process with --debug-ops, or a router with enableDebugOps: true"}
	}
	var args Args
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxArgs)).Decode(&args); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, &Error{Code: CodeBadArgument, Message: "the arguments are no JSON object of texts: " + err.Error()}
	}
	return o, args, o.check(args)
}

func refuse(w http.ResponseWriter, status int, err error) {
	var known *Error
	if !errors.As(err, &known) {
		known = &Error{Code: CodeFailed, Message: err.Error()}
	}
	writeJSON(w, status, refusal{known})
}

// refusal is the body of a refusal.
type refusal struct {
	Error *Error `json:"error"`
}
