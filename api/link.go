package api

import "time"

// FabricLink is a link between two routers. The source is the router that
// dialed it.
type FabricLink struct {
	Connections   []LinkConnection `json:"connections"`
	Cost          int64            `json:"cost"`          // static cost and both latencies in milliseconds
	DestLatency   int64            `json:"destLatency"`   // round trip in nanoseconds as the destination measures it
	DestRouter    Ref              `json:"destRouter"`    // that was dialed
	Down          bool             `json:"down"`          // taken out of use by an operator
	ID            string           `json:"id"`            // new for every dial
	Iteration     int64            `json:"iteration"`     // of the dialer's attempts
	Protocol      string           `json:"protocol"`      // tls
	SourceLatency int64            `json:"sourceLatency"` // round trip in nanoseconds as the source measures it
	SourceRouter  Ref              `json:"sourceRouter"`  // that dialed
	State         string           `json:"state"`         // Connected, or what is wrong
	StaticCost    int64            `json:"staticCost"`
	Address       string           `json:"address,omitempty"` // that was dialed
	Since         *time.Time       `json:"since,omitempty"`
}

// LinkConnection is one connection of a link.
type LinkConnection struct {
	Dest   string `json:"dest"`   // tcp:ip:port
	Source string `json:"source"` // tcp:ip:port
	Type   string `json:"type"`   // link.default or link.ack
}

// FabricLinkInput is what a caller may change about a link.
type FabricLinkInput struct {
	Down       *bool  `json:"down,omitempty"`
	StaticCost *int64 `json:"staticCost,omitempty" api:"min=0,max=1073741824"`
}

// fabricLinks returns the rows of links, which live in the routers: they can be
// changed and closed, not created.
func fabricLinks() []Operation {
	r := resource{"links", "Link", "Links", "ops", "Link"}
	out := append(reading[FabricLink](r), changing[FabricLinkInput](r)[1], deleting(r))
	out[3].Doc = "Closes one link; circuits move to other paths, and the router that dialed it may dial it anew."
	return ofFabric(out...)
}
