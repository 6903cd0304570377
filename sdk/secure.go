package sdk

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/secretstream"
)

// secure is the end-to-end encryption of one connection. An idle one holds no buffers.
type secure struct {
	greeted atomic.Bool
	hmu     sync.Mutex
	header  []byte // of our stream, until it is sent

	wmu  sync.Mutex
	enc  *secretstream.Encryptor
	werr error // final: as with TLS, also after a deadline

	rmu    sync.Mutex
	rx     [secretstream.KeySize]byte
	dec    *secretstream.Decryptor // nil before the peer's header
	buf    *scratch                // holds rest
	rest   []byte                  // opened, not read yet
	err    error                   // final
	closed bool
}

// scratch is a buffer for one sealed message of ours with room in front.
type scratch [scratchSize]byte

const (
	// sealChunk is the most text of one message: a multiple of 8, which seals
	// fastest, and less than 64 KiB sealed.
	sealChunk   = 64<<10 - 32
	scratchSize = secretstream.Headroom + 64<<10 + secretstream.Overhead
)

// scratches is shared by all connections; one is held during a write, and
// while opened data waits for a reader.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func newSecure(keys secretstream.SessionKeys) (*secure, error) {
	enc, header, err := secretstream.NewEncryptor(&keys.TX)
	if err != nil {
		return nil, err
	}
	return &secure{header: header, enc: enc, rx: keys.RX}, nil
}

// tryGreet gives the header to try, which reports whether it took it. It does
// not wait for a write that is about to send it.
func (s *secure) tryGreet(try func(header []byte) bool) {
	if !s.greeted.Load() && s.hmu.TryLock() {
		defer s.hmu.Unlock()
		s.give(try)
	}
}

// give is for whoever holds hmu. Nothing may be written before the header.
func (s *secure) give(send func(header []byte) bool) {
	if s.header != nil && send(s.header) {
		s.header = nil
		s.greeted.Store(true)
	}
}

// greet sends the header, waiting for room, with the writer's lock held.
func (s *secure) greet(to stream) (err error) {
	if s.greeted.Load() {
		return nil
	}
	s.hmu.Lock()
	defer s.hmu.Unlock()
	s.give(func(h []byte) bool {
		err = to.WriteMessage(flow.Item{Data: h})
		return err == nil
	})
	return err
}

func (s *secure) write(to stream, p []byte) (int, error) {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	if s.werr != nil {
		return 0, s.werr
	}
	if err := s.greet(to); err != nil {
		return 0, err
	}
	n := 0
	buf := scratches.Get().(*scratch)
	defer scratches.Put(buf)
	for n < len(p) {
		chunk := p[n:min(n+sealChunk, len(p))]
		sealed, err := s.enc.Seal(buf[:secretstream.Headroom], chunk)
		if err != nil {
			return n, err
		}
		if err := to.WriteMessage(flow.Item{Data: sealed[secretstream.Headroom:]}); err != nil {
			s.werr = err // without this message the peer can open none after it
			return n, err
		}
		n += len(chunk)
	}
	return n, nil
}

func (s *secure) read(from stream, p []byte) (int, error) {
	s.rmu.Lock()
	defer s.rmu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	for len(s.rest) == 0 {
		if s.closed {
			return 0, net.ErrClosed
		}
		if s.err != nil {
			return 0, s.err
		}
		seg, err := from.Next()
		if err != nil {
			return 0, err
		}
		err = s.open(&seg)
		seg.Release()
		if err != nil {
			if s.err = err; !errors.Is(err, io.EOF) {
				from.Close()
			}
			return 0, err
		}
	}
	n := copy(p, s.rest)
	if s.rest = s.rest[n:]; len(s.rest) == 0 {
		s.free()
	}
	return n, nil
}

// open takes one message: the peer's header first, then sealed texts. Empty
// ones are half-closes and capability announcements.
func (s *secure) open(seg *flow.Segment) error {
	switch {
	case seg.HasEdgeFlags && seg.EdgeFlags&edge.FlagFIN != 0 && len(seg.Data) == 0:
		return io.EOF
	case len(seg.Data) == 0:
		return nil
	case s.dec == nil:
		dec, err := secretstream.NewDecryptor(&s.rx, seg.Data)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrEncryption, err)
		}
		s.dec = dec
		return nil
	}
	work := s.room(len(seg.Data))
	copy(work[secretstream.Headroom:], seg.Data)
	text, err := s.dec.OpenInPlace(work, secretstream.Headroom)
	if err == nil && seg.EdgeFlags&edge.FlagMultipartMsg != 0 {
		text, err = joinParts(text)
	}
	if err != nil {
		s.free()
		return fmt.Errorf("%w: %w", ErrEncryption, err)
	}
	if s.rest = text; len(text) == 0 {
		s.free()
	}
	return nil
}

// room returns memory for a message of n bytes with room in front.
func (s *secure) room(n int) []byte {
	if n += secretstream.Headroom; n > scratchSize {
		return make([]byte, n)
	}
	s.buf = scratches.Get().(*scratch)
	return s.buf[:n]
}

func (s *secure) free() {
	s.rest = nil
	if s.buf != nil {
		scratches.Put(s.buf)
		s.buf = nil
	}
}

// close drops what was opened and not read. It waits for no read: those end
// with the stream.
func (s *secure) close() {
	s.rmu.Lock()
	defer s.rmu.Unlock()
	s.closed = true
	s.free()
}

// joinParts puts the parts of a multipart body together, in place.
func joinParts(body []byte) ([]byte, error) {
	out := body[:0]
	for rest := body; len(rest) > 0; {
		part, next, err := edge.NextPart(rest)
		if err != nil {
			return nil, err
		}
		out, rest = append(out, part...), next
	}
	return out, nil
}
