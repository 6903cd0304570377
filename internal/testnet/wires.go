package testnet

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// cutTable drops what comes from the addresses in a set, without a word or with
// a reset of the connection, and says which packets are slowed down.
const cutTable = `
table inet wires {
	set cut { type ipv4_addr; }
	set torn { type ipv4_addr; }
	chain in {
		type filter hook input priority -300;
		ip saddr @cut drop;
		ip saddr @torn tcp flags & rst == rst accept;
		ip saddr @torn meta l4proto tcp reject with tcp reset;
	}
	chain out { type filter hook output priority 300; }
}
`

// Pace is how fast packets go from one host to another. The zero Pace is that
// of the machine.
type Pace struct {
	BytesPerSecond int           // 0 is not bounded
	Delay          time.Duration // needs netem in the kernel; Pace fails without it
}

// Cut makes packets between two hosts vanish, both ways.
func Cut(a, b *Host) error { return errors.Join(CutOneWay(a, b), CutOneWay(b, a)) }

// CutOneWay makes packets from one host to the other vanish.
func CutOneWay(from, to *Host) error { return to.change(from, "cut", "add") }

// Tear is a cut that both hosts notice: connections between them are reset.
func Tear(a, b *Host) error {
	return errors.Join(a.change(b, "torn", "add"), b.change(a, "torn", "add"))
}

// Heal ends every cut between two hosts.
func Heal(a, b *Host) error { return errors.Join(a.heal(b), b.heal(a)) }

// heal adds the element before it takes it away: what is not there cannot be
// deleted.
func (h *Host) heal(from *Host) error {
	return errors.Join(h.change(from, "cut", "add", "delete"), h.change(from, "torn", "add", "delete"))
}

func (h *Host) change(from *Host, set string, verbs ...string) error {
	var script strings.Builder
	for _, v := range verbs {
		fmt.Fprintf(&script, "%s element inet wires %s { %s }\n", v, set, from.Addr)
	}
	return h.space.run(script.String(), "nft", "-f", "-")
}

// Heal ends all cuts and slow ways of all hosts.
func (h *Hosts) Heal() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bridge == nil {
		return nil
	}
	var all error
	for _, host := range h.all {
		all = errors.Join(all, host.space.run("flush set inet wires cut\nflush set inet wires torn\n", "nft", "-f", "-"))
		host.mu.Lock()
		if len(host.slow) > 0 {
			clear(host.slow)
			all = errors.Join(all, host.applyPaces())
		}
		host.mu.Unlock()
	}
	return all
}

// SetPace says how fast packets go from one host to another.
func SetPace(from, to *Host, p Pace) error {
	from.mu.Lock()
	defer from.mu.Unlock()
	if p == (Pace{}) {
		delete(from.slow, to.number)
	} else {
		from.slow[to.number] = p
	}
	return from.applyPaces()
}

// applyPaces puts packets to a slow host into a class of its own, whose number
// is that of the host.
func (h *Host) applyPaces() error {
	rules := []string{"flush chain inet wires out"}
	var classes []string
	if !h.shaped {
		classes = append(classes, "qdisc replace dev eth0 root handle 1: htb")
	}
	for number, pace := range h.slow {
		rate := pace.BytesPerSecond
		if rate == 0 {
			rate = 1 << 30
		}
		rules = append(rules, fmt.Sprintf("add rule inet wires out ip daddr 10.77.0.%d meta priority set 1:%x", number, number))
		classes = append(classes, fmt.Sprintf("class replace dev eth0 parent 1: classid 1:%x htb rate %dbps burst 32k cburst 32k quantum 1514", number, rate))
		queue := "pfifo limit 200"
		if pace.Delay > 0 {
			queue = fmt.Sprintf("netem limit 10000 delay %dus", pace.Delay.Microseconds())
		}
		classes = append(classes, fmt.Sprintf("qdisc replace dev eth0 parent 1:%x handle %x: %s", number, number+1, queue))
	}
	if len(h.slow) == 0 {
		classes = nil
		if h.shaped {
			classes = append(classes, "qdisc delete dev eth0 root")
		}
	}
	h.shaped = len(h.slow) > 0
	return errors.Join(
		h.space.run(strings.Join(rules, "\n")+"\n", "nft", "-f", "-"),
		h.space.run(strings.Join(classes, "\n")+"\n", "tc", "-batch", "-"),
	)
}
