package state

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
)

// TestTree compares trees with maps through many changes; versions that were
// published stay as they were.
func TestTree(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		space := 1 << (2 + r.IntN(11))
		now := newTree()
		want := map[[2]string]model.Entity{}
		type version struct {
			tree tree
			want map[[2]string]model.Entity
		}
		var old []version
		for step := range 4000 {
			n := r.IntN(space)
			key, id := fmt.Sprint("k", n%17*r.IntN(2)), fmt.Sprintf("%05d", n)
			if growing := step/1000%2 == 0; growing == (r.IntN(4) > 0) {
				e := &model.Service{Base: model.Base{ID: id}, Name: fmt.Sprint(step)}
				now.put(entry{key, id, e})
				want[[2]string{key, id}] = e
			} else {
				now.remove(key, id)
				delete(want, [2]string{key, id})
			}
			if r.IntN(20) == 0 { // publish
				if r.IntN(20) == 0 {
					old = append(old, version{now, maps.Clone(want)})
				}
				now = now.fork()
			}
		}
		for _, v := range append(old, version{now, want}) {
			compareTree(t, v.tree, v.want, r)
		}
	}
}

func compareTree(t *testing.T, have tree, want map[[2]string]model.Entity, r *rand.Rand) {
	t.Helper()
	keys := slices.SortedFunc(maps.Keys(want), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	from := 0
	if len(keys) > 0 {
		from = r.IntN(len(keys))
	}
	for _, begin := range []int{0, from} {
		i := begin
		key, id := "", ""
		if begin > 0 {
			key, id = keys[begin][0], keys[begin][1]
		}
		have.ascend(key, id, func(x entry) bool {
			if i >= len(keys) || keys[i] != [2]string{x.key, x.id} || want[keys[i]] != x.e {
				t.Fatalf("entry %d of %d is %s %s", i, len(keys), x.key, x.id)
			}
			i++
			return true
		})
		if i != len(keys) {
			t.Fatalf("%d of %d entries", i, len(keys))
		}
	}
	for k, e := range want {
		if have.get(k[0], k[1]) != e {
			t.Fatalf("%v is not found", k)
		}
	}
	if have.get("no such", "key") != nil {
		t.Fatal("found what is not there")
	}
}
