package app

import (
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/cluster"
	"github.com/weftnet/weft/observe"
)

// storeTimes measure changes of the state once there are instruments: those that
// are proposed here, and those that are applied.
type storeTimes struct {
	propose atomic.Pointer[[]*observe.Timer]
	apply   atomic.Pointer[observe.Timer]
}

// proposed notes how long a change took until it was in force here, or refused.
func (t *storeTimes) proposed(took time.Duration) {
	if timers := t.propose.Load(); timers != nil {
		for _, timer := range *timers {
			timer.Update(took)
		}
	}
}

// timedMachine measures how long changes take to be applied.
type timedMachine struct {
	cluster.StateMachine
	times *storeTimes
}

// Apply implements cluster.StateMachine.
func (m timedMachine) Apply(indexes []uint64, commands [][]byte) ([]any, error) {
	start := time.Now()
	results, err := m.StateMachine.Apply(indexes, commands)
	if timer := m.times.apply.Load(); timer != nil {
		timer.Update(time.Since(start))
	}
	return results, err
}

// measure begins to measure: proposals by several timers, applied batches by one.
func (t *storeTimes) measure(i *observe.Instruments, proposals []string, applied string) {
	var timers []*observe.Timer
	for _, name := range proposals {
		timers = append(timers, i.Timer(name))
	}
	t.propose.Store(&timers)
	t.apply.Store(i.Timer(applied))
}
