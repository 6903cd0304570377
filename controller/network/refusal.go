package network

import (
	"fmt"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// Codes of refusals that routers get, besides those of package policy.
const (
	CodeInvalidService      = "INVALID_SERVICE"         // the service was deleted
	CodeSessionEnded        = "SESSION_ENDED"           // the login session has ended
	CodeNoTerminators       = "NO_TERMINATORS"          // nobody hosts the service, or nobody of that instance
	CodeNoOnlineTerminators = "NO_ONLINE_TERMINATORS"   // hosts are known, but their routers are offline or they may not bind any more
	CodeInvalidStrategy     = "INVALID_STRATEGY"        // the terminator strategy of the service is unknown
	CodeTooManyCircuits     = "TOO_MANY_CIRCUITS"       // the identity has as many circuits as one may have
	CodeDuplicateCircuit    = "DUPLICATE_CIRCUIT"       // the circuit id is in use
	CodeEncryptionData      = "ENCRYPTION_DATA_MISSING" // the service requires encryption and no host gave a key
	CodeInvalidTerminator   = "INVALID_TERMINATOR"      // the terminator is unknown or of another router
	CodeTerminatorConflict  = "TERMINATOR_CONFLICT"     // the id or instance belongs to somebody else
	CodeRouterQuiesced      = "ROUTER_QUIESCED"         // the router takes no new circuits at the moment
	CodeBusy                = "TOO_BUSY"                // too many circuits are being created
	peerPublicKey           = 1003                      // edge header with a public key
	bindingEdgeTransport    = "edge_transport"          // of terminators whose router ends the encryption
)

func refusal(code, format string, args ...any) *ctrl.Refusal {
	return &ctrl.Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

func denied(d policy.Decision) *ctrl.Refusal {
	return &ctrl.Refusal{Code: string(d.Code), Message: d.Rule, Remedy: d.Remedy}
}

func tooMany(identityID string, most int) *ctrl.Refusal {
	r := refusal(CodeTooManyCircuits, "identity %s has %d circuits, as many as one may have", identityID, most)
	r.Remedy = "close connections that are not needed, or spread them over several identities"
	return r
}

func busy() *ctrl.Refusal {
	r := refusal(CodeBusy, "as many circuits are being created as may be at once")
	r.Remedy = "dial again later; see why routers are slow to answer"
	return r
}

func routerFull(routerID string) *ctrl.Refusal {
	r := refusal(CodeTooManyCircuits, "router %s has %d circuits, as many as it may have", routerID, maxRouterCircuits)
	r.Remedy = "use another router"
	return r
}

func quiesced(routerID string) *ctrl.Refusal {
	r := refusal(CodeRouterQuiesced, "router %s takes no new circuits", routerID)
	r.Remedy = "use another router, or end the quiesce: weft agent dequiesce"
	return r
}

func ownEncrypted(s *model.Service) *ctrl.Refusal {
	r := refusal(CodeEncryptionData, "service %s requires encryption between its ends, which a listener of a router cannot do", s.Name)
	r.Remedy = "use a service without encryptionRequired for it, or dial with a client"
	return r
}

// cause is how events name the reason of a failed attempt.
func (m *misfire) cause() string {
	if m.silent {
		return "ROUTER_RESPONSE_TIMEOUT"
	}
	switch c := m.failure.GetCause(); c {
	case ctrl.Cause_CONNECTION_REFUSED:
		return "ROUTER_ERR_CONN_REFUSED"
	default:
		return "ROUTER_ERR_" + c.String()
	}
}

// noCandidate explains why nothing can be dialed.
func noCandidate(serviceID, instance string, s skips) *ctrl.Refusal {
	of := ""
	if instance != "" {
		of = fmt.Sprintf(" for instanceId %s", instance)
	}
	switch {
	case s.instance == 0:
		r := refusal(CodeNoTerminators, "service %s has no terminators%s", serviceID, of)
		r.Remedy = "start a client that hosts the service, or create a terminator for it"
		return r
	case s.noKey > 0:
		r := refusal(CodeEncryptionData, "encryption required on service, terminator did not send public header")
		r.Remedy = "restart the host of the service so that it offers its key; a terminator of a plain server needs --binding edge_transport, or a service with -e=false"
		return r
	case s.noPath > 0:
		r := refusal(ctrl.CodeNoPath, "service %s has no terminators%s that this router can reach", serviceID, of)
		r.Remedy = ctrl.RemedyNoPath
		return r
	}
	r := refusal(CodeNoOnlineTerminators, "service %s has no online terminators%s", serviceID, of)
	r.Remedy = "check that the routers of the service's hosts are online and that the hosts may still bind it"
	return r
}
