package forward

import (
	"errors"
	"strconv"
	"testing"
)

func TestCircuitsOfAnIdentityAreBounded(t *testing.T) {
	table := NewTable(nil)
	var last *Circuit
	for i := range maxCircuits {
		c, err := table.Add(Info{ID: strconv.Itoa(i), IdentityID: "greedy"})
		if err != nil {
			t.Fatal(i, err)
		}
		last = c
	}
	if _, err := table.Add(Info{ID: "more", IdentityID: "greedy"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if _, err := table.Add(Info{ID: "other", IdentityID: "other"}); err != nil {
		t.Errorf("another identity: %v", err)
	}
	last.Abandon("test")
	if _, err := table.Add(Info{ID: "more", IdentityID: "greedy"}); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
