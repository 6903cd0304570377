package query

import "fmt"

type sortKey struct {
	target
	desc bool
}

func bindSort(s *Schema, keys []syntaxSort) ([]sortKey, error) {
	if len(keys) > MaxSort {
		return nil, fmt.Errorf("more than %d sort keys", MaxSort)
	}
	var out []sortKey
	for _, k := range keys {
		t, err := bindField(s, k.name)
		if err != nil {
			return nil, err
		}
		out = append(out, sortKey{t, k.desc})
	}
	return out, nil
}

// Sorted reports whether the order is another than by ascending id.
func (p *Program) Sorted() bool {
	return len(p.sort) > 0 && (p.sort[0].desc || p.sort[0].field != p.id || p.id < 0)
}

// Compare orders two rows by the sort keys and at last by the field `id`. Nulls
// come first when ascending.
func (p *Program) Compare(a, b Row) int {
	for i := range p.sort {
		k := &p.sort[i]
		if c := k.of(a).Compare(k.of(b)); c != 0 {
			if k.desc {
				return -c
			}
			return c
		}
	}
	if p.id < 0 {
		return 0
	}
	return a.Value(p.id).Compare(b.Value(p.id))
}

// The paging rules of every list operation.
const (
	DefaultLimit = int64(10)
	MaxLimit     = int64(500)    // of the parameter
	MaxOffset    = int64(100000) // of the parameter
	NoLimit      = int64(1<<63 - 1)
)

// Page returns the limit and offset that apply, from the parameters of the
// request (nil where absent) and the filter's own skip and limit, which win.
// The limit is NoLimit for all rows.
func (p *Program) Page(limit, offset *int64) (int64, int64) {
	lim, off := DefaultLimit, int64(0)
	switch {
	case p.limit != nil && *p.limit == -1:
		lim = NoLimit
	case p.limit != nil && *p.limit >= 0:
		lim = *p.limit
	case p.limit != nil || limit == nil || *limit == 0 || *limit < -1:
	case *limit == -1:
		lim = NoLimit
	default:
		lim = min(*limit, MaxLimit)
	}
	switch {
	case p.skip != nil:
		off = max(0, *p.skip)
	case offset != nil:
		off = min(max(0, *offset), MaxOffset)
	}
	return lim, off
}
