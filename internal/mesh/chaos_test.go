package mesh

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var (
	chaosSeed = flag.Uint64("chaos.seed", 1, "seed of TestChaos")
	chaosFor  = flag.Duration("chaos.for", 20*time.Second, "length of TestChaos")
)

// TestChaos is a short random run; internal/mesh/chaos is a long one.
func TestChaos(t *testing.T) {
	long(t)
	err := Chaos(t.Context(), ChaosOptions{Program: program, Seed: *chaosSeed, For: *chaosFor, Round: 15 * time.Second, Out: testLog{t}})
	if err != nil {
		t.Fatalf("seed %d: %v", *chaosSeed, err)
	}
}

// testLog is the log of a test.
type testLog struct{ t *testing.T }

// Write implements io.Writer.
func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(string(b[:len(b)-1]))
	return len(b), nil
}

// TestPlan: a seed gives the same faults every time, and all kinds of them.
func TestPlan(t *testing.T) {
	draw := func(seed uint64) []Fault { return plan(rand.New(rand.NewPCG(seed, 0)), 20*time.Minute) }
	if !slices.Equal(draw(3), draw(3)) || slices.Equal(draw(3), draw(4)) {
		t.Error("the faults do not depend on the seed alone")
	}
	kinds := make(map[string]int)
	for _, f := range draw(3) {
		kinds[f.Kind]++
	}
	for _, k := range []string{faultCut, faultOneWay, faultTear, faultSlow, faultKill, faultFreeze, faultStop, faultLinkDown} {
		if kinds[k] < 3 {
			t.Errorf("%d times %s in 20 minutes", kinds[k], k)
		}
	}
}
