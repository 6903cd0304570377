package policy_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

// mixed returns an engine with 10,000 identities of 2,000 attribute sets, 1,000
// services of 100, 50 routers and 1,000 service policies of mixed roles: by
// attributes, by ids, and a few for all.
func mixed(t testing.TB) *policy.Engine {
	var c []policy.Change
	for i := range 10000 {
		c = append(c, policy.Put(&policy.Identity{ID: fmt.Sprint("i", i), Name: fmt.Sprintf("identity-%05d", i),
			Attributes: []string{fmt.Sprint("g", i%2000), fmt.Sprint("site", i%20), "users"}}))
	}
	for i := range 1000 {
		c = append(c, policy.Put(&policy.Service{ID: fmt.Sprint("s", i), Name: fmt.Sprintf("service-%04d", i),
			Attributes: []string{fmt.Sprint("app", i%100), "web"}}))
	}
	for i := range 50 {
		c = append(c, policy.Put(&policy.Router{ID: fmt.Sprint("r", i), Name: fmt.Sprint("r", i), Attributes: []string{fmt.Sprint("site", i%20), "public"}}))
	}
	for i := range 1000 {
		p := &policy.ServicePolicy{ID: fmt.Sprint("p", i), Name: fmt.Sprint("p", i), Action: policy.Action(i / 800),
			Identities: set(t, fmt.Sprint("#g", i*2)), Services: set(t, fmt.Sprint("#app", i%100))}
		switch i % 10 {
		case 0:
			p.Identities, p.Services = set(t, "#all"), set(t, fmt.Sprint("@s", i))
		case 1:
			p.Identities, p.Services = set(t, fmt.Sprint("@i", i), fmt.Sprint("@i", i+1)), set(t, fmt.Sprint("@s", i))
		case 2:
			p.Semantic, p.Identities = role.AnyOf, set(t, fmt.Sprint("#site", i%20), fmt.Sprint("#g", i))
		}
		c = append(c, policy.Put(p))
	}
	c = append(c, policy.Put(&policy.EdgeRouterPolicy{ID: "erp", Name: "erp", Identities: set(t, "#users"), Routers: set(t, "#public")}),
		policy.Put(&policy.ServiceEdgeRouterPolicy{ID: "serp", Name: "serp", Services: set(t, "#all"), Routers: set(t, "#all")}))
	e := policy.New()
	e.Apply(t0, c...)
	return e
}

// measured runs a benchmark and reports the CPU time of the process as well,
// which other processes of the machine do not change much.
func measured(b *testing.B, f func()) {
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
	}
	start := used()
	for b.Loop() {
		f()
	}
	b.ReportMetric((used()-start)/float64(b.N), "cpu-µs/op")
}

func BenchmarkMixedPolicyForAll(b *testing.B) {
	e := mixed(b)
	all := &policy.ServicePolicy{ID: "all", Identities: set(b, "#all"), Services: set(b, "#all")}
	changed := &policy.ServicePolicy{ID: "all", Identities: set(b, "#all"), Services: set(b, "#all"), Action: policy.Bind}
	c := []policy.Change{policy.Put(all), policy.Put(changed), policy.Remove(policy.KindServicePolicy, "all")}
	n := 0
	measured(b, func() {
		e.Apply(t0.Add(time.Duration(n)), c[n%3])
		n++
	})
}

func BenchmarkMixedWhatIf(b *testing.B) {
	for name, c := range map[string]policy.Change{
		"policy for all":     policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(b, "#all"), Services: set(b, "#all")}),
		"identity attribute": policy.Put(&policy.Identity{ID: "i7", Name: "i7", Attributes: []string{"users", "g1000"}}),
		"no router policy":   policy.Remove(policy.KindEdgeRouterPolicy, "erp"),
	} {
		b.Run(name, func(b *testing.B) {
			e := mixed(b)
			measured(b, func() {
				fork := e.Fork()
				effects := fork.Apply(t0, c)
				policy.Compare(e.View(), fork.View(), effects, 20)
			})
		})
	}
}

func BenchmarkMixedWhoCan(b *testing.B) {
	v := mixed(b).View()
	measured(b, func() {
		for range v.WhoCan(policy.Dial, "s0") {
		}
	})
}

func BenchmarkMixedWhatCan(b *testing.B) {
	v := mixed(b).View()
	measured(b, func() {
		for range v.WhatCan(policy.Dial, "i2") {
		}
	})
}

func BenchmarkMixedServicesOfIdentity(b *testing.B) {
	v := mixed(b).View()
	measured(b, func() {
		for range v.Rights(policy.MayDial, "i2") {
		}
	})
}

func BenchmarkMixedGaps(b *testing.B) {
	v := mixed(b).View()
	measured(b, func() { v.Gaps(policy.MayDial, "i2", "s7", 20) })
}
