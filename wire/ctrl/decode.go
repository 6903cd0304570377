package ctrl

import "google.golang.org/protobuf/proto"

// bodies makes an empty body of each content type.
var bodies = map[int32]func() proto.Message{
	TypeRegister:          func() proto.Message { return &Register{} },
	TypeRegistered:        func() proto.Message { return &Registered{} },
	TypeSliceUpdate:       func() proto.Message { return &SliceUpdate{} },
	TypeSliceResync:       func() proto.Message { return &SliceResync{} },
	TypeCreateCircuit:     func() proto.Message { return &CreateCircuit{} },
	TypeCircuitCreated:    func() proto.Message { return &CircuitCreated{} },
	TypeRoute:             func() proto.Message { return &Route{} },
	TypeRouteResult:       func() proto.Message { return &RouteResult{} },
	TypeUnroute:           func() proto.Message { return &Unroute{} },
	TypeCircuitsEnded:     func() proto.Message { return &CircuitsEnded{} },
	TypeCircuitFaults:     func() proto.Message { return &CircuitFaults{} },
	TypeConfirmCircuits:   func() proto.Message { return &ConfirmCircuits{} },
	TypeConfirmedCircuits: func() proto.Message { return &ConfirmedCircuits{} },
	TypeTerminatorChanges: func() proto.Message { return &TerminatorChanges{} },
	TypeTerminatorResults: func() proto.Message { return &TerminatorResults{} },
	TypeActivity:          func() proto.Message { return &Activity{} },
	TypeInspect:           func() proto.Message { return &Inspect{} },
	TypeInspectResult:     func() proto.Message { return &InspectResult{} },
	TypePeers:             func() proto.Message { return &Peers{} },
	TypeLinkChanges:       func() proto.Message { return &LinkChanges{} },
	TypeCloseLink:         func() proto.Message { return &CloseLink{} },
	TypeRouterState:       func() proto.Message { return &RouterState{} },
	TypeEndpoints:         func() proto.Message { return &Endpoints{} },
	TypeMetricsReport:     func() proto.Message { return &MetricsReport{} },
	TypeIdentities:        func() proto.Message { return &ConnectedIdentities{} },
	TypeInterfaces:        func() proto.Message { return &Interfaces{} },
	TypeExtend:            func() proto.Message { return &Extend{} },
	TypeExtended:          func() proto.Message { return &Extended{} },
	TypeConfirmExtend:     func() proto.Message { return &ConfirmExtend{} },
	TypeExtendConfirmed:   func() proto.Message { return &ExtendConfirmed{} },
}

// Decode reads a body by its content type. It returns nil for a type that has
// none here, and for a body that is malformed.
func Decode(contentType int32, body []byte) proto.Message {
	make := bodies[contentType]
	if make == nil {
		return nil
	}
	m := make()
	if proto.Unmarshal(body, m) != nil {
		return nil
	}
	return m
}
