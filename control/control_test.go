package control

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/wire/ctrl"
)

func filled(n int) *Slice {
	s := NewSlice()
	for i := range n {
		s.Put(ItemKey{uint32(i % 5), fmt.Sprint(i)}, bytes.Repeat([]byte{byte(i)}, i%300))
	}
	return s
}

func TestDigestDependsOnContentOnly(t *testing.T) {
	a, b := filled(500), NewSlice()
	items := a.Items()
	for i := len(items) - 1; i >= 0; i-- {
		b.Apply(items[i : i+1])
		b.Apply(items[i : i+1]) // twice changes nothing
	}
	if !bytes.Equal(a.Digest(), b.Digest()) || a.Len() != b.Len() {
		t.Fatal("equal slices have different digests")
	}
	key := ItemKey{3, "3"}
	old, _ := b.Get(key)
	if !b.Put(key, []byte("other")) || bytes.Equal(a.Digest(), b.Digest()) {
		t.Error("a change does not show")
	}
	if b.Put(key, []byte("other")) {
		t.Error("no change counts as one")
	}
	b.Put(key, old)
	if !b.Remove(ItemKey{4, "4"}) || b.Remove(ItemKey{4, "4"}) || bytes.Equal(a.Digest(), b.Digest()) {
		t.Error("removal")
	}
	for _, it := range items {
		b.Apply([]*ctrl.Item{{Kind: it.Kind, Id: it.Id, Removed: true}})
	}
	if !bytes.Equal(b.Digest(), NewSlice().Digest()) {
		t.Error("an emptied slice has a digest")
	}
}

func TestUpdatesInPieces(t *testing.T) {
	s := filled(10_000)
	s.Index = 77
	updates := WholeSlice(s)
	if len(updates) < 3 {
		t.Fatalf("%d messages", len(updates))
	}
	var r Receiver
	r.Add(updates[1]) // the rest of an update that was cut short
	for i, u := range updates {
		b, err := proto.Marshal(u)
		if err != nil || len(b) > 2*chunkBytes {
			t.Fatal(len(b), err)
		}
		got := r.Add(u)
		if (got != nil) != (i == len(updates)-1) {
			t.Fatalf("message %d", i)
		}
		if got == nil {
			continue
		}
		out := NewSlice()
		out.Apply(got.Items)
		if !got.Whole || got.To != 77 || !bytes.Equal(out.Digest(), got.Digest) {
			t.Error("the slice does not come out as it was")
		}
	}
	one := ChangedSlice(77, 78, nil, s.Digest())
	if got := r.Add(one[0]); got == nil || got.Whole || got.From != 77 || got.To != 78 {
		t.Errorf("empty change: %+v", got)
	}
}

func TestFingerprints(t *testing.T) {
	a, b := "0123456789abcdef0123456789abcdef01234567", "ffffffffffffffffffffffffffffffffffffffff"
	data := AppendFingerprints(nil, a, "not hex", "", b)
	if got := ParseFingerprints(data); len(got) != 2 || got[0] != a || got[1] != b {
		t.Error(got)
	}
	if got := ParseFingerprints(data[:30]); len(got) != 1 {
		t.Error(got)
	}
}
