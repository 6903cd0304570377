package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
)

func TestKeep(t *testing.T) {
	for keep, known := range map[int]bool{10: false, 1000: true} {
		s, err := New()
		if err != nil {
			t.Fatal(err)
		}
		s.Keep(keep)
		for i := range uint64(100) {
			c := NewCommand(time.Now(), Author{}, Source{}).AsSystem()
			c.Create(&model.Service{Base: model.Base{ID: fmt.Sprint(i)}, Name: fmt.Sprint(i)})
			b, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Apply([]uint64{i + 1}, [][]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := s.Changes(1, s.View()); ok != known {
			t.Errorf("%d kept: changes since the first known: %v", keep, ok)
		}
	}
}
