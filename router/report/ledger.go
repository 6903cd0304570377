package report

import (
	"time"

	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// ledger turns what has passed circuits since their begin into what has passed
// in an interval: per circuit for the reports of usage, together for the meters.
type ledger struct {
	meters map[string]flowMeters

	from     time.Time                    // begin of the interval
	known    map[string]booked            // of circuits with traffic
	tags     map[string]map[string]string // of the circuits of usage
	looks    uint64                       // number of the present interval
	usage    map[string]map[string]uint64 // of the interval, by circuit and direction
	fabric   map[string]map[string]uint64
	finished []*ctrl.Interval // of intervals that are over, too young to be reported
}

// booked is what was booked of a circuit last, and in which interval it was
// there.
type booked struct {
	to   [2]forward.Traffic
	look uint64
}

// flowMeters are the instruments of one direction.
type flowMeters struct {
	bytes, messages *observe.Meter
	size            *observe.Histogram
}

// Directions of traffic, from the view of the router.
const (
	ingressRx, ingressTx = "ingress.rx", "ingress.tx" // to and from who dials
	egressRx, egressTx   = "egress.rx", "egress.tx"   // to and from who hosts
	fabricRx, fabricTx   = "fabric.rx", "fabric.tx"   // over links
)

func newLedger(i *observe.Instruments, now time.Time) ledger {
	l := ledger{meters: make(map[string]flowMeters), from: now, known: make(map[string]booked), tags: make(map[string]map[string]string),
		usage: make(map[string]map[string]uint64), fabric: make(map[string]map[string]uint64)}
	for _, d := range []string{ingressRx, ingressTx, egressRx, egressTx, fabricRx, fabricTx} {
		l.meters[d] = flowMeters{i.Meter(d + ".bytesrate"), i.Meter(d + ".msgrate"), i.Histogram(d + ".msgsize")}
	}
	return l
}

// book takes what has passed a circuit.
func (l *ledger) book(u forward.Usage) {
	last := l.known[u.Circuit]
	for side := range u.To {
		if u.To[side].Messages < last.to[side].Messages {
			return // a look that is older than the last one
		}
	}
	if u.To == ([2]forward.Traffic{}) {
		return
	}
	l.known[u.Circuit] = booked{u.To, l.looks}
	l.tags[u.Circuit] = tagsOf(u)
	for side, other := range []int{1, 0} {
		passed := forward.Traffic{Bytes: u.To[side].Bytes - last.to[side].Bytes, Messages: u.To[side].Messages - last.to[side].Messages}
		if passed.Messages == 0 {
			continue
		}
		// What goes to a side comes in from the other one.
		l.add(u.Circuit, direction(forward.Side(other), u.At[other], true), passed)
		l.add(u.Circuit, direction(forward.Side(side), u.At[side], false), passed)
	}
}

// tagsOf says whose circuit it is.
func tagsOf(u forward.Usage) map[string]string {
	tags := make(map[string]string, 3)
	for name, id := range map[string]string{"clientId": u.Client, "hostId": u.Host, "serviceId": u.Service} {
		if id != "" {
			tags[name] = id
		}
	}
	return tags
}

// direction names traffic that is received from a side, or sent to it.
func direction(s forward.Side, at forward.Place, received bool) string {
	names := [2]string{egressTx, egressRx}
	switch {
	case at == forward.Nowhere:
		return ""
	case at == forward.Beyond:
		names = [2]string{fabricTx, fabricRx}
	case s == forward.Initiator:
		names = [2]string{ingressTx, ingressRx}
	}
	if received {
		return names[1]
	}
	return names[0]
}

func (l *ledger) add(circuit, direction string, passed forward.Traffic) {
	if direction == "" {
		return
	}
	m := l.meters[direction]
	m.bytes.Mark(int(passed.Bytes))
	m.messages.Mark(int(passed.Messages))
	m.size.Update(float64(passed.Bytes) / float64(passed.Messages))
	to := l.usage
	if direction == fabricRx || direction == fabricTx {
		to = l.fabric
	}
	if to[circuit] == nil {
		to[circuit] = make(map[string]uint64)
	}
	to[circuit][direction] += passed.Bytes
}

// close ends the interval and returns those that are old enough.
func (l *ledger) close(now time.Time, age time.Duration) []*ctrl.Interval {
	for name, circuits := range map[string]map[string]map[string]uint64{"usage": l.usage, "fabricUsage": l.fabric} {
		for circuit, bytes := range circuits {
			i := &ctrl.Interval{Name: name, StartMillis: l.from.UnixMilli(),
				LengthMillis: now.Sub(l.from).Milliseconds(), CircuitId: circuit, Bytes: bytes}
			if name == "usage" {
				i.Tags = l.tags[circuit]
			}
			l.finished = append(l.finished, i)
		}
		clear(circuits)
	}
	clear(l.tags)
	for circuit, b := range l.known {
		if b.look+1 < l.looks { // gone for a whole interval
			delete(l.known, circuit)
		}
	}
	l.looks++
	l.from = now
	var ripe, young []*ctrl.Interval
	for _, i := range l.finished {
		if now.Sub(time.UnixMilli(i.StartMillis)) >= age {
			ripe = append(ripe, i)
		} else {
			young = append(young, i)
		}
	}
	l.finished = young
	return ripe
}
