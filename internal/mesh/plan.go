package mesh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kinds of faults of the random run.
const (
	faultCut      = "cut" // packets vanish both ways
	faultOneWay   = "cut one way"
	faultTear     = "tear"      // connections are reset
	faultSlow     = "slow"      // a narrow way, there and back
	faultKill     = "kill"      // kill -9, started again at the end
	faultFreeze   = "freeze"    // SIGSTOP until the end
	faultStop     = "interrupt" // an orderly end, started again at the end
	faultLinkDown = "link down" // by the operator
)

// Fault is something bad that happens for a while.
type Fault struct {
	At, For time.Duration // since the begin of the round
	Kind    string
	A, B    string // names of hosts; B is empty for faults of processes
}

// String says what happens to whom.
func (f Fault) String() string {
	if f.B == "" {
		return fmt.Sprintf("%s %s for %s", f.Kind, f.A, f.For)
	}
	return fmt.Sprintf("%s %s - %s for %s", f.Kind, f.A, f.B, f.For)
}

// The mesh of the random run: calm clients are at r1 and r5, which only lose
// links and the controller; between them there are three ways.
var (
	chaosRouters = []string{"r1", "r2", "r3", "r4", "r5"}
	chaosMiddle  = []string{"r2", "r3", "r4"}
	chaosLinks   = [][2]string{{"r1", "r2"}, {"r1", "r3"}, {"r1", "r4"}, {"r5", "r2"}, {"r5", "r3"}, {"r5", "r4"}, {"r2", "r3"}, {"r4", "r3"}}
)

const controllerName = "controller"

// recovery is how long after the end of a fault its victims do not count as a
// way yet.
const recovery = 4 * time.Second

// plan draws the faults of a round. At any time one router of the middle and
// its links to both ends are well, or about to be, so that calm circuits must
// live.
func plan(random *rand.Rand, round time.Duration) []Fault {
	var all []Fault
	for at := time.Duration(0); at < round; at += time.Duration(100+random.IntN(1500)) * time.Millisecond {
		f := draw(random)
		f.At = at
		if overlaps(all, f) || !leavesWay(append(slices.Clone(all), f)) {
			continue
		}
		all = append(all, f)
	}
	return all
}

func draw(random *rand.Rand) Fault {
	f := Fault{For: time.Duration(500+random.IntN(7000)) * time.Millisecond}
	switch n := random.IntN(20); {
	case n < 11: // a way between routers
		l := chaosLinks[random.IntN(len(chaosLinks))]
		if random.IntN(2) == 0 {
			l[0], l[1] = l[1], l[0]
		}
		f.A, f.B = l[0], l[1]
		f.Kind = []string{faultCut, faultOneWay, faultOneWay, faultTear, faultTear, faultSlow, faultLinkDown}[random.IntN(7)]
	case n < 16: // a router of the middle
		f.A = chaosMiddle[random.IntN(len(chaosMiddle))]
		f.Kind = []string{faultKill, faultKill, faultFreeze, faultStop}[random.IntN(4)]
	case n < 18: // the way of a router to the controller
		f.A, f.B = chaosRouters[random.IntN(len(chaosRouters))], controllerName
		f.Kind = []string{faultCut, faultOneWay, faultTear}[random.IntN(3)]
	default:
		f.A = controllerName
		f.Kind = []string{faultKill, faultFreeze, faultStop}[random.IntN(3)]
		f.For = min(f.For, 4*time.Second)
	}
	return f
}

// overlaps reports whether something of the kind happens to the same victims at
// the same time, or the controller would have to do something while it is away.
func overlaps(all []Fault, f Fault) bool {
	return slices.ContainsFunc(all, func(o Fault) bool {
		same := o.A == f.A && o.B == f.B || o.A == f.B && o.B == f.A
		away := f.Kind == faultLinkDown && o.A == controllerName || o.Kind == faultLinkDown && f.A == controllerName
		return (same || away) && f.At < o.At+o.For+time.Second
	})
}

// leavesWay reports whether there is a way between the ends at the time of the
// last fault.
func leavesWay(all []Fault) bool {
	last := all[len(all)-1]
	return slices.ContainsFunc(chaosMiddle, func(middle string) bool {
		return !slices.ContainsFunc(all, func(f Fault) bool {
			if f.Kind == faultSlow || f.At+f.For+recovery < last.At {
				return false
			}
			touches := func(x, y string) bool { return f.A == x && f.B == y || f.A == y && f.B == x }
			return f.A == middle && f.B == "" || touches(middle, "r1") || touches(middle, "r5") || touches(middle, controllerName)
		})
	})
}
