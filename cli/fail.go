package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/sdk"
)

// failure is an error of a command with all that a person or a script wants to
// know of it. Commands of other packages may return one by having the methods
// ExitCode and Help.
type failure struct {
	code   string
	cause  string
	remedy string
	exit   int
	err    error
}

// Error returns code and cause.
func (f *failure) Error() string { return f.code + ": " + f.cause }

// Unwrap returns the error beneath, if any.
func (f *failure) Unwrap() error { return f.err }

func usageError(remedy, format string, args ...any) error {
	return &failure{code: "USAGE", cause: fmt.Sprintf(format, args...), remedy: remedy, exit: ExitUsage}
}

func notFound(kind, many, name string) error {
	return &failure{code: "NOT_FOUND", cause: fmt.Sprintf("there is no %s with the id or name %q", kind, name),
		remedy: "look it up: weft list " + many, exit: ExitNotFound}
}

// report writes an error to w, as one line of JSON if that is asked for, and
// returns the exit code.
func report(w io.Writer, err error, asJSON bool) int {
	if err == nil {
		return ExitOK
	}
	f := explain(err)
	if f.code == "" && f.exit == ExitDifferent { // the answer says it all
		return f.exit
	}
	if asJSON {
		out := map[string]any{"error": map[string]any{"code": f.code, "cause": f.cause, "remedy": f.remedy, "exitCode": f.exit}}
		if printJSONLine(w, out) == nil {
			return f.exit
		}
	}
	fmt.Fprintf(w, "error: %s\n", f.code)
	if f.cause != "" {
		fmt.Fprintf(w, "cause: %s\n", f.cause)
	}
	if f.remedy != "" {
		fmt.Fprintf(w, "remedy: %s\n", f.remedy)
	}
	return f.exit
}

// explain finds code, cause, remedy and exit code of any error.
func explain(err error) *failure {
	var own *failure
	var api *client.Error
	var refusal *fault.Error
	var overlay *sdk.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &api):
		return explainAPI(api)
	case errors.As(err, &overlay):
		return explainOverlay(overlay)
	case errors.As(err, &refusal):
		f := &failure{code: refusal.Kind.Code, cause: refusal.Kind.Message, remedy: refusal.Help(), exit: exitOf(refusal.Kind.Status)}
		if refusal.Cause != nil {
			f.cause = refusal.Cause.Error()
		}
		return withOwn(f, err)
	case isFlagGroup(err):
		return &failure{code: "USAGE", cause: err.Error(), remedy: "see --help of the command", exit: ExitUsage}
	case errors.Is(err, context.Canceled):
		return &failure{code: "INTERRUPTED", exit: ExitInterrupted}
	}
	if f := explainNetwork(err); f != nil {
		return f
	}
	return withOwn(&failure{code: "FAILED", cause: err.Error(), exit: ExitFailure}, err)
}

// isFlagGroup recognises what cobra says of flags that are missing or do not go
// together, for which it has no type.
func isFlagGroup(err error) bool {
	for _, begin := range []string{"required flag(s) ", "if any flags in the group ", "at least one of the flags in the group "} {
		if strings.HasPrefix(err.Error(), begin) {
			return true
		}
	}
	return false
}

// withOwn applies the exit code and help that an error brings itself.
func withOwn(f *failure, err error) *failure {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		f.exit = coded.ExitCode()
	}
	var helpful interface{ Help() string }
	if f.remedy == "" && errors.As(err, &helpful) {
		f.remedy = helpful.Help()
	}
	return f
}

func explainAPI(e *client.Error) *failure {
	f := &failure{code: e.Code, cause: both(e.Message, e.Cause.String()), remedy: e.Remedy, exit: exitOf(e.Status), err: e}
	if e.Status == 404 && strings.Contains(f.cause, "path /fabric/") {
		f.code, f.remedy, f.exit = "NO_FABRIC_API", "add the binding fabric to the apis of the controller's web section and start it again", ExitUnavailable
	}
	if e.Status == 401 && f.remedy == "" {
		f.remedy = "log in: weft login"
	}
	if e.RequestID != "" && e.Status >= 500 {
		f.cause += " (request " + e.RequestID + ")"
	}
	return f
}

func explainOverlay(e *sdk.Error) *failure {
	return &failure{code: e.Code, cause: both(e.Message, e.Cause), remedy: e.Remedy, exit: exitOf(e.Status), err: e}
}

// both joins a message and its cause; where one says the other, it says it once.
func both(message, cause string) string {
	short := func(s string) string { return strings.ToLower(strings.TrimRight(s, ". ")) }
	switch {
	case cause == "" || strings.Contains(short(message), short(cause)):
		return message
	case strings.Contains(short(cause), short(message)), strings.HasSuffix(message, "see cause"):
		return cause
	}
	return strings.TrimRight(message, ". ") + ": " + cause
}

func exitOf(status int) int {
	switch {
	case status == 401:
		return ExitUnauthorized
	case status == 404:
		return ExitNotFound
	case status == 429 || status >= 500 && status < 600:
		return ExitUnavailable
	}
	return ExitRefused
}

func explainNetwork(err error) *failure {
	var verify *tls.CertificateVerificationError
	var request *url.Error
	var operation *net.OpError
	switch {
	case errors.As(err, &verify):
		return &failure{code: "UNTRUSTED_CONTROLLER", cause: verify.Err.Error(), exit: ExitUnavailable,
			remedy: "log in again, with --ca or after checking the fingerprint with --yes"}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{code: "TIMEOUT", cause: err.Error(), remedy: "check that the controller runs and can be reached", exit: ExitUnavailable}
	case errors.As(err, &request), errors.As(err, &operation):
		return &failure{code: "CONTROLLER_UNREACHABLE", cause: err.Error(), remedy: "check the address and that the controller runs", exit: ExitUnavailable}
	}
	return nil
}

// usageArgs makes errors about positional arguments usage errors, here and in
// all commands below.
func usageArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			switch {
			case err == nil:
				return nil
			case len(args) > 0 && c.HasAvailableSubCommands():
				return usageError("see "+c.CommandPath()+" --help", "there is no command %q", c.CommandPath()+" "+args[0])
			}
			return usageError("see "+c.CommandPath()+" --help", "%d arguments do not fit: %s", len(args), c.UseLine())
		}
	}
	for _, sub := range c.Commands() {
		usageArgs(sub)
	}
}
