package link

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/weftnet/weft/channel"
)

// Codes of the reasons for which a link does not come up.
const (
	CodeQueueFull   = "LINK_DIAL_QUEUE_FULL"   // too many dials wait at this router
	CodeUnreachable = "LINK_UNREACHABLE"       // no TCP connection
	CodeTimeout     = "LINK_TIMEOUT"           // no answer in time
	CodeHandshake   = "LINK_HANDSHAKE"         // TLS or what follows it failed
	CodeWrongRouter = "LINK_WRONG_ROUTER"      // the address belongs to somebody else
	CodeNotEnrolled = "LINK_ROUTER_UNKNOWN"    // the other router does not know this one
	CodeDisabled    = "LINK_ROUTER_DISABLED"   // one of the two is disabled
	CodeListener    = "LINK_LISTENER_CHANGED"  // the listener has another name now
	CodeDuplicate   = "LINK_DUPLICATE"         // there is a link already
	CodeUnknownLink = "LINK_GONE"              // a further connection of a link that is gone
	CodeTooMany     = "LINK_TOO_MANY"          // the link has all connections it may have
	CodeClosing     = "LINK_ROUTER_SHUTS_DOWN" // the other router is ending
	CodeLost        = "LINK_LOST"              // there was one
	CodeRefused     = "LINK_REFUSED"           // for another reason
)

// remedies say what to do about each.
var remedies = map[string]string{
	CodeQueueFull:   "raise forwarder.linkDialQueueLength or forwarder.linkDialWorkerCount",
	CodeUnreachable: "check that the other router runs, that link.listeners[].advertise leads to it, and that no firewall is between",
	CodeTimeout:     "check the way to the other router and its load; options.connectTimeoutMs of the link dialer is the limit",
	CodeHandshake:   "check on the other router that ca of its identity, and the certificates of this router, are of this network and not expired",
	CodeWrongRouter: "correct link.listeners[].advertise of the other router: its address leads to somebody else",
	CodeNotEnrolled: "enroll this router again, or wait until the other router has heard of its certificate",
	CodeDisabled:    "enable the router with `weft update edge-router`",
	CodeListener:    "wait: the controller tells the new name at once when it knows it",
	CodeDuplicate:   "nothing: the two routers have a link already",
	CodeLost:        "see the message; the link is made again",
	CodeClosing:     "wait until the other router is back",
}

// Refusal is a reason with a code.
type Refusal struct {
	Code    string
	Message string
}

// Error gives code and message; that is what the other side is told.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// Expected reports whether the reason is part of normal life: two routers dial
// each other, and one of the two has to give way.
func (r *Refusal) Expected() bool { return r.Code == CodeDuplicate }

func refuse(code, text string) *Refusal { return &Refusal{Code: code, Message: text} }

// refusalOf finds the code of an error of a dial.
func refusalOf(err error) *Refusal {
	var known *Refusal
	var rejected *channel.RejectedError
	var op *net.OpError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &rejected):
		if code, text, ok := strings.Cut(rejected.Reason, ": "); ok && strings.HasPrefix(code, "LINK_") {
			return refuse(code, text)
		}
		return refuse(CodeRefused, rejected.Reason)
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(CodeTimeout, err.Error())
	case errors.As(err, &op) && op.Op == "dial":
		return refuse(CodeUnreachable, err.Error())
	}
	return refuse(CodeHandshake, err.Error())
}
