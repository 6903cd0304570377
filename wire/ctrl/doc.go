// Package ctrl holds the numbers and bodies of the control protocol between
// routers and controllers. Messages are framed by package message; a body is
// the protobuf message that the content type names.
package ctrl

//go:generate protoc --go_out=. --go_opt=paths=source_relative ctrl.proto

// ALPN is the protocol name of the control protocol.
const ALPN = "weft-ctrl"

// ForeignALPN is offered by routers of the OpenZiti project, which a controller
// refuses with a reason.
const ForeignALPN = "ziti-ctrl"

// Content types. The comment names the body and the type of the answer.
const (
	TypeRegister          int32 = 2000 // Register, answered by TypeRegistered
	TypeRegistered        int32 = 2001 // Registered
	TypeSliceUpdate       int32 = 2002 // SliceUpdate
	TypeSliceResync       int32 = 2003 // SliceResync
	TypeCreateCircuit     int32 = 2010 // CreateCircuit, answered by TypeCircuitCreated
	TypeCircuitCreated    int32 = 2011 // CircuitCreated
	TypeRoute             int32 = 2012 // Route, answered by TypeRouteResult
	TypeRouteResult       int32 = 2013 // RouteResult
	TypeUnroute           int32 = 2014 // Unroute
	TypeCircuitsEnded     int32 = 2015 // CircuitsEnded
	TypeCircuitFaults     int32 = 2016 // CircuitFaults
	TypeConfirmCircuits   int32 = 2017 // ConfirmCircuits, answered by TypeConfirmedCircuits
	TypeConfirmedCircuits int32 = 2018 // ConfirmedCircuits
	TypeTerminatorChanges int32 = 2020 // TerminatorChanges, answered by TypeTerminatorResults
	TypeTerminatorResults int32 = 2021 // TerminatorResults
	TypeActivity          int32 = 2030 // Activity
	TypeInspect           int32 = 2040 // Inspect, answered by TypeInspectResult
	TypeInspectResult     int32 = 2041 // InspectResult
	TypePeers             int32 = 2050 // Peers
	TypeLinkChanges       int32 = 2051 // LinkChanges
	TypeCloseLink         int32 = 2052 // CloseLink
	TypeRouterState       int32 = 2053 // RouterState
	TypeEndpoints         int32 = 2054 // Endpoints
	TypeMetricsReport     int32 = 2055 // MetricsReport
	TypeIdentities        int32 = 2056 // ConnectedIdentities
	TypeInterfaces        int32 = 2057 // Interfaces
	TypeExtend            int32 = 2060 // Extend, answered by TypeExtended
	TypeExtended          int32 = 2061 // Extended
	TypeConfirmExtend     int32 = 2062 // ConfirmExtend, answered by TypeExtendConfirmed
	TypeExtendConfirmed   int32 = 2063 // ExtendConfirmed
)

// Kinds of slice items besides those of package policy, which are below 16.
const (
	KindKey          uint32 = 16 // a public key of tokens, DER (PKIX); id is the key id
	KindTrust        uint32 = 17 // CA certificates of clients, PEM; id TrustOwn or that of a CA
	KindRevocation   uint32 = 18 // Revocation; id is what it ends
	KindFingerprints uint32 = 19 // SHA-1 prints of 20 bytes each; id is the identity
)

// TrustOwn is the id of the bundle of the network's own authorities.
const TrustOwn = "own"
