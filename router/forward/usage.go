package forward

import (
	"sync/atomic"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/xgress"
)

// traffic counts the payloads that go towards one side of a circuit. Counting
// costs two atomic additions on memory of the circuit's own.
type traffic struct{ bytes, messages atomic.Uint64 }

func (t *traffic) count(f *channel.Frame) {
	if f.Type == xgress.TypePayload {
		t.bytes.Add(uint64(len(f.Body)))
		t.messages.Add(1)
	}
}

// Traffic is what has gone towards one side of a circuit.
type Traffic struct{ Bytes, Messages uint64 }

// Place is where a side of a circuit is, as a router sees it.
type Place uint8

// The places of a side.
const (
	Nowhere Place = iota // nothing is attached yet
	Here                 // at this router
	Beyond               // on the other side of a link
)

// Usage is what has passed a circuit at this router since it began, by the side
// that it went to.
type Usage struct {
	Circuit string
	To      [2]Traffic
	At      [2]Place
	// Client, Host and Service are whose circuit it is, as far as the router knows.
	Client, Host, Service string
}

// Usage returns what has passed so far.
func (c *Circuit) Usage() Usage {
	_, host := c.Host()
	u := Usage{Circuit: c.ID, Client: c.IdentityID, Host: host, Service: c.Service()}
	for s := range c.passed {
		u.To[s] = Traffic{Bytes: c.passed[s].bytes.Load(), Messages: c.passed[s].messages.Load()}
		switch c.Destination(Side(s)).(type) {
		case nil:
		case *linkEnd:
			u.At[s] = Beyond
		default:
			u.At[s] = Here
		}
	}
	return u
}

// Usages returns what has passed every circuit.
func (t *Table) Usages() []Usage {
	all := t.All()
	out := make([]Usage, len(all))
	for i, c := range all {
		out[i] = c.Usage()
	}
	return out
}

// SetUsed says who is told what has passed a circuit when it ends. It must not
// block, and must be set before the first circuit.
func (t *Table) SetUsed(f func(Usage)) { t.used = f }
