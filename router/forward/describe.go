package forward

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Description is a circuit as an operator sees it: a row of the forwarding
// table.
type Description struct {
	Circuit      string         `json:"circuitId"`
	Identity     string         `json:"identityId,omitempty"` // who dialed
	Service      string         `json:"serviceId"`
	TerminatorID string         `json:"terminatorId,omitempty"`
	Host         string         `json:"hostId,omitempty"`
	Path         uint32         `json:"path"` // number of the path, 0 for one that no controller numbered
	CreatedAt    time.Time      `json:"createdAt"`
	Lossy        bool           `json:"lossy"` // something of it was dropped here
	Initiator    EndDescription `json:"initiator"`
	Terminator   EndDescription `json:"terminator"`
}

// EndDescription says where messages for one side of a circuit go.
type EndDescription struct {
	Kind string `json:"kind"`           // link, none, or what is at this router: edge, egress
	Link string `json:"link,omitempty"` // id of the link
	Lost bool   `json:"lost,omitempty"` // the link is gone
}

// String is short: "link 4xyz", "edge".
func (e EndDescription) String() string {
	switch {
	case e.Link != "" && e.Lost:
		return "link " + e.Link + " (lost)"
	case e.Link != "":
		return "link " + e.Link
	}
	return e.Kind
}

// Describe returns all circuits, the oldest first.
func (t *Table) Describe() []Description {
	out := []Description{}
	for _, c := range t.All() {
		out = append(out, c.Describe())
	}
	slices.SortFunc(out, func(a, b Description) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.Circuit, b.Circuit))
	})
	return out
}

// Describe returns the circuit as it is now.
func (c *Circuit) Describe() Description {
	d := Description{
		Circuit: c.ID, Identity: c.IdentityID, Service: c.Service(), CreatedAt: c.CreatedAt.UTC(), Lossy: c.Lossy.Load(),
		Initiator: describeEnd(c.Destination(Initiator)), Terminator: describeEnd(c.Destination(Terminator)),
	}
	d.TerminatorID, d.Host = c.Host()
	c.mu.Lock()
	d.Path = c.path
	c.mu.Unlock()
	return d
}

// describeEnd says what a destination is; those at this router by the package
// that makes them.
func describeEnd(d Destination) EndDescription {
	switch d := d.(type) {
	case nil:
		return EndDescription{Kind: "none"}
	case *linkEnd:
		return EndDescription{Kind: "link", Link: d.id, Lost: d.lost.Load()}
	}
	kind, _, _ := strings.Cut(strings.TrimLeft(fmt.Sprintf("%T", d), "*"), ".")
	return EndDescription{Kind: kind}
}

// Counters are what the table has counted since the start.
type Counters struct {
	Circuits int    `json:"circuits"` // now
	Drops    uint64 `json:"drops"`    // messages that were dropped
	Strays   uint64 `json:"strays"`   // messages of circuits that are not carried here
	Brakes   uint64 `json:"brakes"`   // acknowledgements that slowed a source down, for want of room
}

// Counters returns the counters.
func (t *Table) Counters() Counters {
	return Counters{Circuits: t.Len(), Drops: t.drops.Load(), Strays: t.strays.Load(), Brakes: t.brakes.Load()}
}
