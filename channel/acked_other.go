//go:build !linux

package channel

// acked returns how many bytes the peer's system has confirmed: here nobody
// tells, so all of them count.
func (s *stream) acked(out uint64) uint64 { return out }
