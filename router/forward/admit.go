package forward

import (
	"slices"
	"time"

	"github.com/weftnet/weft/channel"
)

// Whatever a router says of a circuit counts only if it comes by a link that the
// controller has made part of the circuit's path, now or before: knowing the id
// of a circuit gives nobody a say in it. A router may get its part of a new path
// a little later than its neighbours, so that what comes by an unknown link is
// held until then.
const (
	pastLinks   = 8               // links of former paths that a circuit remembers
	earlyTime   = 5 * time.Second // for which messages are held
	earlyFrames = 256             // of one circuit
	earlyBytes  = 512 << 10       // of one circuit, in bytes
	earlyMost   = 16 << 20        // of all circuits of a router, in bytes
)

// early is the messages of a circuit that have come by links that are not part
// of its path yet.
type early struct {
	frames []earlyFrame
	bytes  int
	timer  *time.Timer
}

type earlyFrame struct {
	link string
	*channel.Frame
}

// admits reports whether the circuit takes messages towards a side from a link.
// If not, it has taken f.
func (c *Circuit) admits(linkID string, to Side, f *channel.Frame) bool {
	if c.leads(to.Other(), linkID) {
		return true
	}
	c.mu.Lock()
	switch {
	case c.leads(Initiator, linkID) || c.leads(Terminator, linkID) || slices.Contains(c.past, linkID):
		c.mu.Unlock()
		return true
	case c.hold(linkID, f):
		c.mu.Unlock()
		return false
	}
	ended := c.ended
	c.mu.Unlock()
	if !ended {
		c.dropped()
	}
	f.Release()
	return false
}

// leads reports whether a side of the circuit lies beyond a link.
func (c *Circuit) leads(s Side, linkID string) bool {
	p := c.ends[s].Load()
	if p == nil {
		return false
	}
	e, ok := (*p).(*linkEnd)
	return ok && e.id == linkID
}

// hold keeps a message until its link is part of the path; false if there is no
// room. The lock is held, as for leave.
func (c *Circuit) hold(linkID string, f *channel.Frame) bool {
	n := weight(f)
	if c.ended || c.early != nil && (len(c.early.frames) >= earlyFrames || c.early.bytes+n > earlyBytes) {
		return false
	}
	if c.table.early.Add(int64(n)) > earlyMost {
		c.table.early.Add(-int64(n))
		return false
	}
	if c.early == nil {
		e := &early{}
		e.timer = time.AfterFunc(earlyTime, func() { c.tooEarly(e) })
		c.early = e
	}
	c.early.frames = append(c.early.frames, earlyFrame{linkID, f})
	c.early.bytes += n
	return true
}

// part notes that a link is no longer part of the path.
func (c *Circuit) part(linkID string) {
	if slices.Contains(c.past, linkID) {
		return
	}
	if len(c.past) == pastLinks {
		c.past = slices.Delete(c.past, 0, 1)
	}
	c.past = append(c.past, linkID)
}

// takeEarly takes what is held; nil for nothing. If only is not nil, nothing
// else is taken.
func (c *Circuit) takeEarly(only *early) []earlyFrame {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.early
	if e == nil || only != nil && e != only {
		return nil
	}
	c.early = nil
	e.timer.Stop()
	c.table.early.Add(-int64(e.bytes))
	return e.frames
}

// welcome passes on what was held for links that are part of the path now.
func (c *Circuit) welcome() {
	for _, f := range c.takeEarly(nil) {
		c.table.Receive(f.link, f.Frame)
	}
}

// tooEarly drops what no path has come for.
func (c *Circuit) tooEarly(e *early) {
	for _, f := range c.takeEarly(e) {
		c.dropped()
		f.Release()
	}
}
