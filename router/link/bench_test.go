package link

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// BenchmarkLink sends payloads of 16 KiB from one router to another, over as
// many circuits as the name says, each of which has a window of 4 MiB.
func BenchmarkLink(b *testing.B) {
	for _, circuits := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(circuits), func(b *testing.B) {
			net := newNetwork()
			var got atomic.Int64
			a := newNode(b, net, "A", "")
			z := newNode(b, net, "B", "", func(c *Config) {
				c.Receive = func(_ string, f *channel.Frame) { got.Add(1); f.Release() }
			})
			tell(a, z)
			l := connected(b, a, z)
			wait(b, "all connections", func() bool { return len(l.conns.Load().all()) == 4 })
			const size = 16 << 10
			lanes := make([]*forward.Lane, circuits)
			messages := make([]message.Message, circuits)
			for i := range lanes {
				id := fmt.Sprint("circuit", i)
				p, _ := l.Outlets(id)
				lanes[i] = p.Lane(nil, false)
				messages[i] = (&xgress.Payload{Circuit: []byte(id)}).Message(nil)
			}
			window := int64(circuits) * (4 << 20) / size
			b.SetBytes(size)
			b.ResetTimer()
			for i := range b.N {
				for int64(i)-got.Load() >= min(window, 2048) {
					for range 100 { // let the others run
						if int64(i)-got.Load() < min(window, 2048)/2 {
							break
						}
					}
				}
				if !lanes[i%circuits].Push(channel.NewFrame(&messages[i%circuits], size)) {
					b.Fatal("dropped")
				}
			}
			wait(b, "the rest", func() bool { return got.Load() == int64(b.N) })
		})
	}
}
