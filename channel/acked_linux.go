package channel

import "golang.org/x/sys/unix"

// acked returns how many bytes the peer's system has confirmed, out if that
// cannot be learned.
func (s *stream) acked(out uint64) uint64 {
	if s.raw == nil {
		return out
	}
	acked := out
	_ = s.raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			acked = info.Bytes_acked
		}
	})
	return acked
}
