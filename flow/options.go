package flow

import "time"

// Options set what an end of a circuit otherwise decides by itself: the zero
// value of each leaves it to that. They are not changed while in use and may be
// shared by any number of circuits.
type Options struct {
	MTU int // most bytes of a payload; a message that is longer goes in chunks, which the peer puts together

	Window      int // bytes at start, instead of Config.Window
	MinWindow   int // bytes it never shrinks below, 16 KiB
	MaxWindow   int // bytes it never grows above, 4 MiB; with more, the peer has to store more
	GrowAfter   int // acknowledged payloads per growth; 0: a window's worth of bytes, and only if it was the limit and no queue builds up
	GrowBy      float64
	ShrinkAfter int     // payloads sent again per shrinking; 0: the first timeout of several in a row
	ShrinkTo    float64 // of the window, 0.75

	Duplicates int // repeated acknowledgements after which RetransmitScale counts as 0.2 higher, 0 for never; each growth takes 0.01 back

	ReceiveBuffer int // bytes stored for the reader, above which nothing new is taken; twice Config.MaxWindow

	RetransmitStart time.Duration // age at which a payload is sent again before the first round trip is measured, 1 s
	RetransmitScale float64       // afterwards the smoothed round trip times this, 3 and at least 1 s; if set or with RetransmitAdd at least 50 ms
	RetransmitAdd   time.Duration // and this
	RetransmitMax   time.Duration // and no more than this, 10 s; negative for no limit
	MaxRoundTrip    int           // a measured round trip counts as at most so many times the smoothed one; 1 is 2; 0 for no limit

	Linger  time.Duration // how long Close waits for acknowledgements, instead of Config.Linger; negative for not at all
	DropOne int           // drops one received payload of so many, for tests; 0 for none
}

// LingerOr returns how long the end may wait for its rest to be delivered, d if
// the options, which may be nil, do not say.
func (o *Options) LingerOr(d time.Duration) time.Duration {
	if o == nil || o.Linger == 0 {
		return d
	}
	return max(0, o.Linger)
}

// Lossy reports whether the options, which may be nil, make the end drop what is
// not lost, so that retransmissions must reach it.
func (o *Options) Lossy() bool { return o != nil && (o.DropOne > 0 || o.ReceiveBuffer > 0) }

// ownWays are the options of an end without any.
var ownWays Options

// fill puts the options over the sizes and times of c.
func (o *Options) fill(c *Config) {
	if o.MaxWindow > 0 {
		c.MaxWindow = o.MaxWindow
	}
	if o.Window > 0 {
		c.Window = o.Window
	}
	c.Window = min(max(c.Window, o.MinWindow), c.MaxWindow)
	if o.MTU > 0 {
		c.MaxPayload = min(c.MaxPayload, o.MTU)
	}
	if o.Linger != 0 {
		c.Linger = max(0, o.Linger)
	}
}

// limit is what the receiver stores, in bytes.
func (o *Options) limit(c *Config) int {
	if o.ReceiveBuffer > 0 {
		return o.ReceiveBuffer
	}
	return 2 * c.MaxWindow
}

// least is the smallest window.
func (o *Options) least(c *Config) int {
	if o.MinWindow > 0 {
		return min(o.MinWindow, c.MaxWindow)
	}
	return min(minWindow, c.MaxWindow)
}

// growth is what a growth adds to a window after so many acknowledged bytes.
func (o *Options) growth(n int) int {
	if o.GrowBy == 0 {
		return n
	}
	return int(float64(n) * o.GrowBy)
}

func (o *Options) shrunk(window int) int {
	if o.ShrinkTo == 0 {
		return window * 3 / 4
	}
	return int(float64(window) * o.ShrinkTo)
}

// timed reports whether the options say when to send again.
func (o *Options) timed() bool {
	return o.RetransmitStart > 0 || o.RetransmitScale > 0 || o.RetransmitAdd > 0 || o.RetransmitMax != 0 || o.Duplicates > 0
}

// leastAge is the age below which nothing counts as lost, whatever the options
// say: acknowledgements wait for company.
const leastAge = 50 * time.Millisecond

// age is the age at which a payload counts as lost, with so much on top of the
// scale.
func (o *Options) age(smooth time.Duration, extra float64) time.Duration {
	age, least, scale := minRTO, minRTO, 3.0
	if o.RetransmitScale > 0 {
		scale = o.RetransmitScale
	}
	if o.RetransmitScale > 0 || o.RetransmitAdd > 0 {
		least = leastAge
	}
	switch {
	case smooth > 0:
		age = max(least, time.Duration(float64(smooth)*(scale+extra))+o.RetransmitAdd)
	case o.RetransmitStart > 0:
		age = o.RetransmitStart
	}
	switch {
	case o.RetransmitMax == 0:
		age = min(age, maxRTO)
	case o.RetransmitMax > 0:
		age = min(age, o.RetransmitMax)
	}
	return max(age, leastAge)
}
