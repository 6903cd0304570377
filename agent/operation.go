package agent

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Operation is one thing that a process does for its operator.
type Operation struct {
	Name   string // lower case and dashes
	Doc    string // one line
	Params []Param
	// Debug operations break things on purpose; they are refused unless the
	// process was started with debug operations.
	Debug bool
	// Do runs the operation. It may be called concurrently, and ctx ends when the
	// caller has gone. The result is sent as JSON, a Text or a File as it is; an
	// *Error keeps its code and remedy.
	Do func(ctx context.Context, args Args) (any, error)
}

// Param is a parameter of an operation.
type Param struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Required bool   `json:"required,omitempty"`
}

// Text is a result that is not JSON, for people.
type Text string

// File is a result that is written as it comes about, such as a profile.
type File func(w io.Writer) error

// Args are the arguments of an operation by the names of its parameters.
type Args map[string]string

// Duration reads an argument such as 30s, with a default where there is none.
// Bare numbers are seconds; negative ones are refused.
func (a Args) Duration(name string, unset time.Duration) (time.Duration, error) {
	text := a[name]
	if text == "" {
		return unset, nil
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, badArgument(name, "%q is no time such as 30s", a[name])
	}
	return d, nil
}

// Error is a refusal of a process, or of the search for one.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Help returns the remedy.
func (e *Error) Help() string { return e.Remedy }

// The codes of this package. Operations have codes of their own.
const (
	CodeUnknownOperation = "AGENT_UNKNOWN_OPERATION"
	CodeBadArgument      = "AGENT_BAD_ARGUMENT"
	CodeDebugOff         = "AGENT_DEBUG_OPS_OFF"
	CodeBusy             = "AGENT_BUSY"
	CodeFailed           = "AGENT_FAILED"
	CodeNoProcess        = "AGENT_NO_PROCESS"
	CodeAmbiguous        = "AGENT_AMBIGUOUS"
)

func badArgument(name, format string, args ...any) error {
	return &Error{Code: CodeBadArgument, Message: name + ": " + fmt.Sprintf(format, args...)}
}

// check refuses arguments that the operation does not have, and missing ones.
func (o *Operation) check(args Args) error {
	for name := range args {
		if !slices.ContainsFunc(o.Params, func(p Param) bool { return p.Name == name }) {
			return &Error{Code: CodeBadArgument, Message: fmt.Sprintf("%s has no parameter %q", o.Name, name), Remedy: "parameters: " + o.params()}
		}
	}
	for _, p := range o.Params {
		if p.Required && args[p.Name] == "" {
			return &Error{Code: CodeBadArgument, Message: fmt.Sprintf("%s needs %s: %s", o.Name, p.Name, p.Doc)}
		}
	}
	return nil
}

func (o *Operation) params() string {
	if len(o.Params) == 0 {
		return "none"
	}
	var names []string
	for _, p := range o.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
