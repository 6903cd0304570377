package mesh

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStream: pieces of any size are the same sequence, and every kind of
// damage is found where it begins.
func TestStream(t *testing.T) {
	const size = 1000
	want := make([]byte, size)
	NewStream(5).Fill(want)
	got, s := make([]byte, size), NewStream(5)
	for at, n := 0, 1; at < size; at, n = at+n, n%13+1 {
		s.Fill(got[at:min(at+n, size)])
	}
	if !slices.Equal(got, want) {
		t.Error("pieces differ from the whole")
	}
	check := func(b []byte) error {
		s := NewStream(5)
		for piece := range slices.Chunk(b, 7) {
			if err := s.Check(piece); err != nil {
				return err
			}
		}
		return nil
	}
	if err := check(want); err != nil {
		t.Error(err)
	}
	for name, damaged := range map[string][]byte{
		"lost":      slices.Concat(want[:500], want[508:]),
		"doubled":   slices.Concat(want[:500], want[492:]),
		"exchanged": slices.Concat(want[:500], want[508:516], want[500:508], want[516:]),
		"changed":   slices.Concat(want[:500], []byte{want[500] + 1}, want[501:]),
	} {
		if err := check(damaged); err == nil || !strings.Contains(err.Error(), fmt.Sprint("offset ", 50)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := make([]byte, size)
	NewStream(6).Fill(other)
	if slices.Equal(other, want) {
		t.Error("two seeds, one sequence")
	}
}
