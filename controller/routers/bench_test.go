package routers_test

import (
	"strconv"
	"sync/atomic"
	"testing"
)

// BenchmarkCreateCircuit asks for circuits over a control connection and ends
// them again, 16 at a time.
func BenchmarkCreateCircuit(b *testing.B) {
	w := newWorld(b)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	c := w.startController("", nil)
	u, _ := w.startRouter(id, fingerprint, c.address, "", newNode())
	ready(b, u)
	must(b, u.AddTerminator(b.Context(), terminator("t1")))
	var n atomic.Int64
	b.SetParallelism(8)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			name := "c" + strconv.FormatInt(n.Add(1), 10)
			m := circuitRequest(name)
			m.PeerData = map[uint32][]byte{1003: make([]byte, 32), 1008: []byte("dialer"), 1034: []byte("dialer"), 1035: []byte("dialer")}
			a, err := u.CreateCircuit(b.Context(), m)
			if err != nil || a.Refusal != nil {
				b.Error(a, err)
				return
			}
			u.CircuitEnded(name)
		}
	})
}
