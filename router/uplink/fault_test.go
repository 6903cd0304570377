package uplink

import (
	"slices"
	"testing"
	"time"
)

// TestFaults: a circuit is noted once, and not at all if nobody wants to know.
func TestFaults(t *testing.T) {
	u := New(Config{FaultInterval: time.Hour})
	for _, id := range []string{"a", "b", "a"} {
		u.CircuitFault(id)
	}
	got := u.faults.take()
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "b"}) || len(u.faults.take()) != 0 {
		t.Error(got)
	}
	never := New(Config{})
	never.CircuitFault("a")
	if len(never.faults.take()) != 0 {
		t.Error("faults are collected although none is ever reported")
	}
}
