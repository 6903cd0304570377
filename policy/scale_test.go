package policy_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/policy"
)

// large returns an engine with 10,000 identities in 1,000 groups, 1,000
// services, 100 routers and 200 service policies.
func large(t testing.TB) *policy.Engine {
	var c []policy.Change
	for i := range 10000 {
		c = append(c, policy.Put(&policy.Identity{ID: fmt.Sprint("i", i), Name: fmt.Sprint("i", i),
			Attributes: []string{fmt.Sprint("g", i%1000)}}))
	}
	for i := range 1000 {
		c = append(c, policy.Put(&policy.Service{ID: fmt.Sprint("s", i), Name: fmt.Sprint("s", i), Attributes: []string{"s"}}))
	}
	for i := range 100 {
		c = append(c, policy.Put(&policy.Router{ID: fmt.Sprint("r", i), Name: fmt.Sprint("r", i), Attributes: []string{"r"}}))
	}
	for i := range 200 {
		c = append(c, policy.Put(&policy.ServicePolicy{ID: fmt.Sprint("p", i), Name: fmt.Sprint("p", i),
			Identities: set(t, fmt.Sprint("#g", i)), Services: set(t, fmt.Sprint("@s", i))}))
	}
	c = append(c, policy.Put(&policy.EdgeRouterPolicy{ID: "erp", Identities: set(t, "#all"), Routers: set(t, "#r")}),
		policy.Put(&policy.ServiceEdgeRouterPolicy{ID: "serp", Services: set(t, "#all"), Routers: set(t, "#all")}))
	e := policy.New()
	e.Apply(t0, c...)
	return e
}

func TestPolicyForAllCostsNoMemory(t *testing.T) {
	e := large(t)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	everybody := policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(t, "#all"), Services: set(t, "#all")})
	start := heap()
	for i := range 1000 {
		e.Apply(t0.Add(time.Duration(i)), everybody)
		e.Apply(t0.Add(time.Duration(i)), policy.Remove(policy.KindServicePolicy, "all"))
	}
	if grown := int64(heap()) - int64(start); grown > 512<<10 {
		t.Errorf("a policy for all that came and went 1000 times leaves %d bytes", grown)
	}
	runtime.KeepAlive(e)
}

func TestCheckDoesNotAllocate(t *testing.T) {
	v := large(t).View()
	if n := testing.AllocsPerRun(100, func() { v.Check(policy.Dial, "i7", "s7", "r7") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCheck(b *testing.B) {
	v := large(b).View()
	b.ReportAllocs()
	for b.Loop() {
		if !v.Check(policy.Dial, "i7", "s7", "r7").Allowed() {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCheckAnyRouter(b *testing.B) {
	v := large(b).View()
	for b.Loop() {
		v.Check(policy.Dial, "i7", "s7", "")
	}
}

func BenchmarkPolicyForAll(b *testing.B) {
	e := large(b)
	c := []policy.Change{
		policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(b, "#all"), Services: set(b, "#all")}),
		policy.Remove(policy.KindServicePolicy, "all"),
	}
	n := 0
	for b.Loop() {
		e.Apply(t0, c[n%2])
		n++
	}
}

func BenchmarkPolicyByAttribute(b *testing.B) {
	e := large(b)
	c := []policy.Change{
		policy.Put(&policy.ServicePolicy{ID: "p", Identities: set(b, "#g7"), Services: set(b, "#s")}),
		policy.Remove(policy.KindServicePolicy, "p"),
	}
	n := 0
	for b.Loop() {
		e.Apply(t0, c[n%2])
		n++
	}
}

func BenchmarkIdentityAttribute(b *testing.B) {
	e := large(b)
	n := 0
	for b.Loop() {
		e.Apply(t0, policy.Put(&policy.Identity{ID: "i7", Attributes: []string{fmt.Sprint("g", n%500)}}))
		n++
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		large(b)
	}
}

func BenchmarkServicesOfIdentity(b *testing.B) {
	v := large(b).View()
	for b.Loop() {
		for range v.Rights(policy.MayDial, "i7") {
		}
	}
}

// Views are read while changes are applied; the race detector watches.
func TestReadersDuringApply(t *testing.T) {
	e := large(t)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for r := range 4 {
		readers.Go(func() {
			for i := r; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				v := e.View()
				v.Check(policy.Dial, fmt.Sprint("i", i%1000), fmt.Sprint("s", i%200), "r1")
				v.ChangedAt("i7")
				for range v.CommonRouters("i7", "s7") {
					break
				}
			}
		})
	}
	for i := range 200 {
		e.Apply(t0, policy.Put(&policy.Identity{ID: fmt.Sprint("i", i), Attributes: []string{fmt.Sprint("n", i%7)}}),
			policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(t, fmt.Sprint("#n", i%7)), Services: set(t, "#all")}))
	}
	close(done)
	readers.Wait()
}
