// Package edge is the edge protocol that SDKs and edge routers speak, as bytes:
// numbers of content types, headers, flags and errors, and one small struct per
// message with Encode and a Parse function. It follows the protocol of the
// OpenZiti 2.0 ecosystem; flow-control payloads are in wire/xgress.
//
// Parse functions copy text and alias byte slices: a []byte field of a result
// points into the message it came from. A Parse function of a message about one
// virtual connection returns ErrConnID together with the rest of the fields if
// the connection id is missing. Unknown headers are ignored. Headers of the
// channel layer (ReplyFor and the sequence field) are set by the channel, not here.
package edge

import (
	"errors"
	"fmt"

	"github.com/weftnet/weft/wire/message"
)

// Content types of the channel layer.
const (
	TypeHello           int32 = 0
	TypePing            int32 = 1
	TypeResult          int32 = 2
	TypeLatency         int32 = 3
	TypeLatencyResponse int32 = 4
	TypeHeartbeat       int32 = 5
)

// Content types of client-side flow control; their bodies are in wire/xgress.
const (
	TypeXgPayload         int32 = 1100
	TypeXgAcknowledgement int32 = 1101
	TypeXgControl         int32 = 1102
	TypeXgClose           int32 = 1103
)

// Content types whose bodies are protobuf messages of edgepb.
const (
	TypePostureResponse               int32 = 10800
	TypeSubscribeToServiceUpdates     int32 = 10900
	TypeUnsubscribeFromServiceUpdates int32 = 10901
	TypeResyncPostureState            int32 = 10902
	TypeServiceChangeSet              int32 = 10903
	TypePostureStateChange            int32 = 10904
)

// Content types of the edge protocol.
const (
	TypeConnect             int32 = 60783
	TypeStateConnected      int32 = 60784
	TypeStateClosed         int32 = 60785
	TypeData                int32 = 60786
	TypeDial                int32 = 60787
	TypeDialSuccess         int32 = 60788
	TypeDialFailed          int32 = 60789
	TypeBind                int32 = 60790
	TypeUnbind              int32 = 60791
	TypeUpdateBind          int32 = 60794
	TypeHealthEvent         int32 = 60795
	TypeTraceRoute          int32 = 60796
	TypeTraceRouteResponse  int32 = 60797
	TypeConnInspectRequest  int32 = 60798
	TypeConnInspectResponse int32 = 60799
	TypeBindSuccess         int32 = 60800
	TypeUpdateTokenSuccess  int32 = 60801
	TypeUpdateTokenFailure  int32 = 60802
	TypeUpdateToken         int32 = 60803
	TypeInspectRequest      int32 = 60804
	TypeInspectResponse     int32 = 60805
	TypeConnectV2           int32 = 60806
)

var typeNames = map[int32]string{
	TypeHello: "Hello", TypePing: "Ping", TypeResult: "Result", TypeLatency: "Latency",
	TypeLatencyResponse: "LatencyResponse", TypeHeartbeat: "Heartbeat",
	TypeXgPayload: "XgPayload", TypeXgAcknowledgement: "XgAcknowledgement", TypeXgControl: "XgControl", TypeXgClose: "XgClose",
	TypePostureResponse: "PostureResponse", TypeSubscribeToServiceUpdates: "SubscribeToServiceUpdates",
	TypeUnsubscribeFromServiceUpdates: "UnsubscribeFromServiceUpdates", TypeResyncPostureState: "ResyncPostureState",
	TypeServiceChangeSet: "ServiceChangeSet", TypePostureStateChange: "PostureStateChange",
	TypeConnect: "Connect", TypeStateConnected: "StateConnected", TypeStateClosed: "StateClosed", TypeData: "Data",
	TypeDial: "Dial", TypeDialSuccess: "DialSuccess", TypeDialFailed: "DialFailed", TypeBind: "Bind", TypeUnbind: "Unbind",
	TypeUpdateBind: "UpdateBind", TypeHealthEvent: "HealthEvent", TypeTraceRoute: "TraceRoute",
	TypeTraceRouteResponse: "TraceRouteResponse", TypeConnInspectRequest: "ConnInspectRequest",
	TypeConnInspectResponse: "ConnInspectResponse", TypeBindSuccess: "BindSuccess",
	TypeUpdateTokenSuccess: "UpdateTokenSuccess", TypeUpdateTokenFailure: "UpdateTokenFailure", TypeUpdateToken: "UpdateToken",
	TypeInspectRequest: "InspectRequest", TypeInspectResponse: "InspectResponse", TypeConnectV2: "ConnectV2",
}

// TypeName names a content type for logs; an unknown one is its number.
func TypeName(contentType int32) string {
	if n, ok := typeNames[contentType]; ok {
		return n
	}
	return fmt.Sprintf("type %d", contentType)
}

// Errors of the Parse functions; match them with errors.Is.
var (
	ErrType   = errors.New("edge: wrong content type")
	ErrConnID = errors.New("connId not set, required")
	ErrValue  = errors.New("edge: malformed value")
)

// Virtual connection ids. Clients choose ids for what they open, the router for
// what it opens towards a host. Zero is an id like any other.
const (
	FirstClientConnID uint32 = 1
	LastClientConnID  uint32 = 1<<31 - 2
	FirstRouterConnID uint32 = 1 << 31
)

// IsControl reports whether a message travels on the control connections of a
// grouped channel where there are any. Messages whose path depends on the
// content (StateConnected of a dial with client-side flow control) are not.
func IsControl(contentType int32) bool {
	switch contentType {
	case TypeConnect, TypeConnectV2, TypeBind, TypeUnbind, TypeUpdateBind, TypeHealthEvent, TypeUpdateToken,
		TypePostureResponse, TypeDial, TypeDialSuccess, TypeDialFailed, TypeBindSuccess, TypeXgClose,
		TypeInspectRequest, TypeInspectResponse, TypeConnInspectRequest, TypeConnInspectResponse,
		TypeTraceRoute, TypeTraceRouteResponse:
		return true
	}
	return false
}

func check(m *message.Message, want int32) error {
	if m.Type != want {
		return fmt.Errorf("%w: %s instead of %s", ErrType, TypeName(m.Type), TypeName(want))
	}
	return nil
}
