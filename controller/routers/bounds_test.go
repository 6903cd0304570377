package routers

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestBounds: what a router says of itself reaches others within bounds.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", maxWord+1)
	listeners := []*ctrl.LinkListener{
		{Address: long}, {Name: long}, {Protocol: long}, {Groups: []string{long}}, {CostTags: []string{long}}, {Groups: make([]string, maxTags+1)},
	}
	dialers := []*ctrl.LinkDialer{{Name: long}, {Groups: []string{long}}, {Groups: make([]string, maxTags+1)}}
	if l, d := boundedListeners(listeners), boundedDialers(dialers); len(l)+len(d) != 0 {
		t.Errorf("kept: %v %v", l, d)
	}
	for range 2 * maxListeners {
		listeners = append(listeners, &ctrl.LinkListener{Name: "default"})
		dialers = append(dialers, &ctrl.LinkDialer{Name: "default"})
	}
	if l, d := boundedListeners(listeners), boundedDialers(dialers); len(l) != maxListeners || len(d) != maxListeners {
		t.Errorf("kept: %d listeners, %d dialers", len(l), len(d))
	}
	if word(long) != long[:maxWord] || word("x") != "x" {
		t.Error("a text that is only shown")
	}
}

// TestAsideIsBounded: a router that asks again and again takes no more than its
// share of what waits for the log.
func TestAsideIsBounded(t *testing.T) {
	w := newWork()
	for range maxOfRouter {
		if !w.enter("r") {
			t.Fatal("refused")
		}
	}
	if w.enter("r") || !w.enter("other") {
		t.Error("not bounded by router")
	}
	w.leave("r")
	if w.leave("other"); !w.enter("r") || len(w.waiting) != 1 {
		t.Error("no room after an answer")
	}
}
