package forward

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestManyStreams: circuits over the same links share them, and nothing is
// dropped for want of room.
func TestManyStreams(t *testing.T) {
	const streams, size = 300, 100 << 10
	m := newMesh(t, 3)
	links := []string{m.connect(0, 1), m.connect(1, 2)}
	var all []*path
	for i := range streams {
		all = append(all, m.openOver(fmt.Sprint("c", i), links, 0, 1, 2))
	}
	var done [streams]atomic.Int64
	var sum atomic.Int64
	var once sync.Once
	var half []int64 // of each, when half of everything was done
	var work sync.WaitGroup
	for i, p := range all {
		work.Go(func() {
			echo(t, p, size, func(n int) {
				if sum.Add(int64(n)-done[i].Swap(int64(n))) > streams*size/2 {
					once.Do(func() {
						for j := range done {
							half = append(half, done[j].Load())
						}
					})
				}
			})
		})
	}
	work.Wait()
	for i, table := range m.tables {
		if d := table.drops.Load(); d > 0 {
			t.Errorf("router %d dropped %d messages", i, d)
		}
	}
	slices.Sort(half)
	t.Logf("at half: least %d, a tenth below %d, median %d, most %d of %d", half[0], half[streams/10], half[streams/2], half[streams-1], size)
	m.eventuallyEmpty()
}
