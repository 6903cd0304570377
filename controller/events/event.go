package events

import (
	"time"

	"github.com/weftnet/weft/state"
)

// Event is something that happened: a pointer to one of the types of this
// package, or what Network returns. Events are shared, nobody changes them.
type Event interface {
	// about returns the type and which kind of the type it is.
	about() (kind, of string)
	// forms returns the JSON objects that a subscription gets, none if it wants
	// nothing of the event.
	forms(h head, s *subscription) []any
}

// APISession tells that a login session begins or ends.
type APISession struct {
	At            time.Time
	Type          string // created or deleted
	ID            string
	Provider      string // legacy or jwt
	IdentityID    string
	Address       string // of the client
	CertGenerated bool
}

// Session tells that a session for a service begins or ends.
type Session struct {
	At           time.Time
	Type         string // created or deleted
	SessionType  string // Dial or Bind
	Provider     string // legacy or jwt
	ID           string
	APISessionID string
	IdentityID   string
	ServiceID    string
}

// Authentication tells that somebody has tried to log in.
type Authentication struct {
	At              time.Time
	Success         bool
	Method          string // password, cert or ext-jwt
	AuthenticatorID string // empty if none is known
	SignerID        string // external JWT signer
	IdentityID      string // empty if none is known
	AuthPolicyID    string
	Address         string // of the client
	Reason          string // why not
	ImproperChain   bool   // the client sent no intermediates
}

// Connect tells that somebody has connected to a controller or router.
type Connect struct {
	At      time.Time
	SrcType string // router, peer or identity
	SrcID   string
	SrcAddr string
	DstType string // ctrl or router
	DstID   string
	DstAddr string
}

// Kinds of SDK events.
const (
	SDKOnline  = "sdk-online"
	SDKOffline = "sdk-offline"
	SDKUnknown = "sdk-status-unknown" // the routers that knew are not connected
)

// SDK tells whether a client of an identity is connected to a router.
type SDK struct {
	At         time.Time
	Type       string
	IdentityID string
}

// Alert tells operators of something that needs them.
type Alert struct {
	At         time.Time
	SourceType string // router or controller
	SourceID   string
	Severity   string // error by default
	Message    string
	Details    []string
	Related    map[string]string // id by type of entity
}

// Kinds of cluster events.
const (
	PeerConnected    = "peer.connected"
	PeerDisconnected = "peer.disconnected"
	PeerNotMember    = "peer.not_member"
	MembersChanged   = "members.changed"
	LeadershipGained = "leadership.gained"
	LeadershipLost   = "leadership.lost"
	HasLeader        = "state.has_leader"
	IsLeaderless     = "state.is_leaderless"
	ReadOnly         = "state.ro"
	ReadWrite        = "state.rw"
)

// Cluster tells of the cluster as this member sees it.
type Cluster struct {
	At       time.Time
	Type     string
	Index    uint64 // of the log when it happened
	Peers    []Peer
	LeaderID string // with HasLeader
}

// Peer is a member of the cluster.
type Peer struct {
	ID           string                  `json:"id,omitempty"`
	Address      string                  `json:"addr,omitempty"`
	Version      string                  `json:"version,omitempty"`
	APIAddresses map[string][]APIAddress `json:"apiAddresses"` // by binding
	Preferred    bool                    `json:"isPreferredLeader"`
}

// APIAddress is where a member serves an API.
type APIAddress struct {
	URL     string `json:"url"`
	Version string `json:"version"`
}

// EntityChange tells that an entity of the replicated state has changed. It
// becomes two JSON objects: the change, and that it is committed.
type EntityChange struct {
	Change  state.Change
	Ordinal int    // among the changes of the same index
	Method  string // HTTP method of a change by the REST APIs
	Version string // of the controller
	// Leads is whether this controller led, or nobody did: others tell only those
	// who asked for it.
	Leads bool
}

// EntityCounts are how many entities there are, by the names of their stores.
type EntityCounts struct {
	At     time.Time
	Counts map[string]int64
	Leads  bool
	Err    string
}

// ServiceCount is how often something happened to a service in an interval.
type ServiceCount struct {
	At           time.Time
	Type         string // such as service.dial.success
	ServiceID    string
	TerminatorID string
	Count        uint64
	Start        time.Time // of the interval
	Length       time.Duration
}

// Usage is what a circuit has carried at a router in an interval.
type Usage struct {
	At        time.Time
	SourceID  string // router
	CircuitID string
	Bytes     map[string]uint64 // by counter, such as ingress.rx
	Start     time.Time
	Length    time.Duration
	Tags      map[string]string // clientId, hostId and serviceId; nil for those of links
}

// Metrics is one report of measurements.
type Metrics struct {
	At       time.Time
	SourceID string // router or controller
	ReportID string // the same in every event of the report
	Metrics  []Metric
}

// Metric is one measurement.
type Metric struct {
	Name   string             // such as link.<id>.latency or ctrl.latency:<id>
	Kind   string             // gauge, meter, histogram or timer
	Values map[string]float64 // such as p99
	// EntityID and Tags say what it is about, if Name does not.
	EntityID string
	Tags     map[string]string
}
