package policy

import (
	"encoding/binary"

	"github.com/weftnet/weft/model/role"
)

// reader takes members from the front of a compact form; after a failure it
// gives zero values.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.failed = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// number reads a number of at most limit.
func (r *reader) number(limit uint64) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > limit {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) text() string {
	n := r.number(uint64(len(r.rest)))
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

// texts reads a list as a sorted set. Every element takes a byte at least,
// which bounds the count.
func (r *reader) texts() []string {
	n := r.number(uint64(len(r.rest)))
	if n == 0 || r.failed {
		return nil
	}
	out := make([]string, 0, min(n, 64))
	for range n {
		out = append(out, r.text())
		if r.failed {
			return nil
		}
	}
	return sortedSet(out)
}

func (r *reader) set(all byte) role.Set {
	return role.Set{All: all != 0, IDs: r.texts(), Attributes: r.texts()}
}
