package ctrl

import "fmt"

// Codes of a dial that failed at a terminator: what a Refusal carries after the
// last attempt, and what a client is told.
const (
	CodeDialFailed            = "DIAL_FAILED"              // every attempt failed, for a reason without a code of its own
	CodeRejected              = "REJECTED"                 // the host said no, or its backlog is full
	CodeHostTimedOut          = "HOST_TIMED_OUT"           // the host is connected but did not answer in time
	CodeTerminatorGone        = "TERMINATOR_GONE"          // the host disconnected while it was dialed
	CodeConnectionRefused     = "CONNECTION_REFUSED"       // nobody listens at the address of the terminator
	CodeDialTimedOut          = "DIAL_TIMED_OUT"           // the server at the address of the terminator did not answer the router
	CodeNameNotResolved       = "DNS_RESOLUTION_FAILED"    // the router cannot resolve the host name of the terminator's address
	CodePortNotAllowed        = "PORT_NOT_ALLOWED"         // the router may not connect to the port
	CodeResourcesNotAvailable = "RESOURCES_NOT_AVAILABLE"  // the router has no file descriptor, port or worker left
	CodeMisconfigured         = "MISCONFIGURED_TERMINATOR" // the router has no dialer for the terminator, or its address is malformed
	CodeNoPath                = "NO_PATH"                  // hosts are online, but no usable links lead to their routers; or a circuit has lost its path and there is no other
	CodePeerGone              = "PEER_GONE"                // the router at the other end of a circuit no longer has it: it was started anew
)

// RemedyPeerGone is what to do about CodePeerGone.
const RemedyPeerGone = "dial again"

// RemedyNoPath is what to do about CodeNoPath.
const RemedyNoPath = "link the routers: weft show path says what is missing, weft list links which links there are; " +
	"or let the client use a router that the hosts are connected to, by edge router policies and service edge router policies"

// Explain returns the code and the remedy of a failed dial. Address is that of
// the terminator, router the name or id of the router that dialed; hosted says
// that a client hosts it, not a server at the address.
func Explain(cause Cause, address, router string, hosted bool) (code, remedy string) {
	say := func(code, format string, args ...any) (string, string) { return code, fmt.Sprintf(format, args...) }
	switch cause {
	case Cause_REJECTED_BY_APPLICATION:
		return say(CodeRejected, "see the log of the host")
	case Cause_INVALID_TERMINATOR:
		return say(CodeTerminatorGone, "dial again: hosts connect again by themselves; if it lasts, start the host")
	case Cause_DIAL_TIMED_OUT:
		if hosted {
			return say(CodeHostTimedOut, "see whether the host hangs, restart it")
		}
		return say(CodeDialTimedOut, "check that router %s reaches %s (firewall, routes), or correct the terminator's address", router, address)
	case Cause_CONNECTION_REFUSED:
		return say(CodeConnectionRefused, "start the server at %s, which router %s dials, or correct the terminator's address", address, router)
	case Cause_DNS_RESOLUTION_FAILED:
		return say(CodeNameNotResolved, "correct the host name in the terminator's address %s, or the DNS of the machine of router %s", address, router)
	case Cause_PORT_NOT_ALLOWED:
		return say(CodePortNotAllowed, "let router %s connect to %s, or use another port in the terminator's address", router, address)
	case Cause_RESOURCES_NOT_AVAILABLE:
		return say(CodeResourcesNotAvailable, "try again later; raise the limits of router %s (open files, forwarder.xgressDialQueueLength)", router)
	case Cause_MISCONFIGURED_TERMINATOR:
		return say(CodeMisconfigured, "correct the terminator: its address %s (tcp:host:port) and its binding, for which router %s needs a dialer", address, router)
	case Cause_INVALID_LINK_DESTINATION:
		return say(CodeNoPath, RemedyNoPath)
	}
	return say(CodeDialFailed, "remove the cause, as seen from the machine of router %s, whose log has more, or correct the terminator's address %s", router, address)
}

// Reason is the text of a failed dial, the reason of the host or server
// innermost. Clients of the field look for its parts.
func (f *Failure) Reason() string {
	return fmt.Sprintf("failed to establish connection with terminator address %s. error: (%s)", f.GetTerminatorId(), f.GetMessage())
}
