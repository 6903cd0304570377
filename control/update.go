package control

import "github.com/weftnet/weft/wire/ctrl"

// chunkBytes bounds the items of one SliceUpdate.
const chunkBytes = 256 << 10

// WholeSlice returns the messages that make a router's slice equal to s.
func WholeSlice(s *Slice) []*ctrl.SliceUpdate {
	out := chunks(s.Items())
	for _, u := range out {
		u.To = s.Index
	}
	out[0].Reset_ = true
	out[len(out)-1].Digest = s.Digest()
	return out
}

// ChangedSlice returns the messages that lead from an index to another;
// digest is that of the whole slice afterwards.
func ChangedSlice(from, to uint64, items []*ctrl.Item, digest []byte) []*ctrl.SliceUpdate {
	out := chunks(items)
	for _, u := range out {
		u.From, u.To = from, to
	}
	out[len(out)-1].Digest = digest
	return out
}

// chunks splits items over messages, at least one, and marks the last.
func chunks(items []*ctrl.Item) []*ctrl.SliceUpdate {
	out := []*ctrl.SliceUpdate{{}}
	size := 0
	for _, it := range items {
		if size > chunkBytes {
			out = append(out, &ctrl.SliceUpdate{})
			size = 0
		}
		u := out[len(out)-1]
		u.Items = append(u.Items, it)
		size += len(it.Id) + len(it.Data) + 16
	}
	out[len(out)-1].Last = true
	return out
}

// Receiver puts the messages of a slice together: a change becomes visible
// whole or not at all.
type Receiver struct {
	items   []*ctrl.Item
	reset   bool
	started bool
}

// Update is a complete change of a slice.
type Update struct {
	Whole  bool // Items are the whole slice
	From   uint64
	To     uint64
	Items  []*ctrl.Item
	Digest []byte
}

// Add takes the next message; it returns the change when it is complete, nil
// before.
func (r *Receiver) Add(u *ctrl.SliceUpdate) *Update {
	if u.Reset_ || !r.started {
		r.items, r.reset, r.started = nil, u.Reset_, true
	}
	r.items = append(r.items, u.Items...)
	if !u.Last {
		return nil
	}
	out := &Update{Whole: r.reset, From: u.From, To: u.To, Items: r.items, Digest: u.Digest}
	*r = Receiver{}
	return out
}
