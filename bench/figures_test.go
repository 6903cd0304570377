package main

import (
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	if got := median([]float64{9, 1, 5}); got != 5 {
		t.Error(got)
	}
	if got := median[float64](nil); got != 0 {
		t.Error(got)
	}
	sorted := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, c := range []struct {
		p    float64
		want time.Duration
	}{{0, 1}, {0.5, 6}, {0.99, 10}, {1, 10}} {
		if got := percentile(sorted, c.p); got != c.want {
			t.Errorf("percentile %v: %v, want %v", c.p, got, c.want)
		}
	}
	if got := percentile(nil, 0.5); got != 0 {
		t.Error(got)
	}
	if got := mib(1<<30, 2*time.Second); got != 512 {
		t.Error(got)
	}
	if got := perGiB(time.Second, 512<<20); got != 2 {
		t.Error(got)
	}
	if got := share(3, 4); got != "75%" {
		t.Error(got)
	}
	if got := share(3, 0); got != "-" {
		t.Error(got)
	}
}

func TestChoose(t *testing.T) {
	s := settings{}
	if !s.wants("tcp") || len(s.weftPaths()) != len(weftPaths) {
		t.Error("without a choice everything is measured")
	}
	s.paths = []string{"tls", "weft2"}
	if got := s.weftPaths(); s.wants("tcp") || !s.wants("tls") || len(got) != 1 || got[0] != "weft2" {
		t.Error(got)
	}
}

func TestEveryPathHasItsIdeal(t *testing.T) {
	length := map[string]int{}
	for _, i := range ideals {
		length[i.name] = len(i.hops)
	}
	for _, p := range weftPaths {
		if got := length[idealOf(p.name)]; got != p.routers+1 {
			t.Errorf("%s has %d routers, %s has %d hops", p.name, p.routers, idealOf(p.name), got)
		}
	}
}

func TestNumbers(t *testing.T) {
	var n numbers
	if err := n.Set("1,8,64"); err != nil || n.String() != "1,8,64" {
		t.Error(n, err)
	}
	if err := n.Set("1,x"); err == nil {
		t.Error("no number is accepted")
	}
}
