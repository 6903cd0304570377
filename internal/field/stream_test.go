package field

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/secretstream"
)

// manner is how a client sends data.
type manner struct {
	announce  uint32 // flags of the first message
	numbered  bool   // header 1001 on every message
	traced    bool   // header 128 on every message
	multipart bool   // folds writes for a peer that can take it apart
	chunk     int    // the most of a write that goes into one message
}

var (
	cManner   = manner{announce: edge.FlagTraceUUID | edge.FlagMultipart, numbered: true, traced: true, multipart: true, chunk: 32 << 10}
	jvmManner = manner{numbered: true, chunk: 16 << 10}
)

// stream is a virtual connection on a link. Read and Write may be used by one
// goroutine each.
type stream struct {
	l  *link
	id uint32
	manner
	circuit string
	sealed  bool // the peers have exchanged keys
	rx, tx  [secretstream.KeySize]byte

	mu    sync.Mutex
	queue []*message // nil is the end of the link
	wake  chan struct{}
	peer  atomic.Uint32 // flags that the peer has announced

	// Of the reader.
	opener   *secretstream.Decryptor
	pending  []byte
	messages int
	end      error

	// Of the writer.
	sealer *secretstream.Encryptor
	seq    uint32
}

func newStream(l *link, id uint32, m manner) *stream {
	return &stream{l: l, id: id, manner: m, wake: make(chan struct{}, 1)}
}

// push takes a message from the reading goroutine of the link.
func (s *stream) push(m *message) {
	if m != nil && m.Type == edge.TypeData {
		if f, ok := m.Headers.Uint32(edge.HeaderFlags); ok {
			s.peer.Or(f)
		}
	}
	s.mu.Lock()
	s.queue = append(s.queue, m)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) pop() (*message, error) {
	late := time.After(patience)
	for {
		s.mu.Lock()
		if len(s.queue) > 0 {
			m := s.queue[0]
			s.queue = s.queue[1:]
			s.mu.Unlock()
			return m, nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-late:
			return nil, errors.New("nothing arrives")
		}
	}
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.pending) == 0 {
		if s.end != nil {
			return 0, s.end
		}
		m, err := s.pop()
		if err == nil {
			err = s.take(m)
		}
		if err != nil {
			s.end = err
		}
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// take is the next message of the peer.
func (s *stream) take(m *message) error {
	switch {
	case m == nil:
		return errors.New("the link has ended")
	case m.Type == edge.TypeStateClosed:
		return fmt.Errorf("closed: %s", m.Body)
	}
	flags, _ := m.Headers.Uint32(edge.HeaderFlags)
	if err := s.checkTrace(m); err != nil {
		return err
	}
	text, err := s.open(m.Body)
	if err != nil {
		return err
	}
	for flags&edge.FlagMultipartMsg != 0 && len(text) > 0 {
		n := int(binary.LittleEndian.Uint16(text))
		s.pending = append(s.pending, text[2:2+n]...)
		text = text[2+n:]
	}
	s.pending = append(s.pending, text...)
	if flags&edge.FlagFIN != 0 {
		return io.EOF
	}
	return nil
}

// open decrypts a body; the first one is the stream header alone.
func (s *stream) open(body []byte) (_ []byte, err error) {
	switch {
	case !s.sealed || len(body) == 0:
		return body, nil
	case s.opener == nil:
		if s.opener, err = secretstream.NewDecryptor(&s.rx, body); err != nil {
			err = fmt.Errorf("first message of %d bytes: %w", len(body), err)
		}
		return nil, err
	default:
		return s.opener.Open(nil, body)
	}
}

// checkTrace wants header 128 as the peer made it from the very body.
func (s *stream) checkTrace(m *message) error {
	id, ok := m.Headers.Get(edge.HeaderUUID)
	if !ok || s.peer.Load()&edge.FlagTraceUUID == 0 {
		return nil
	}
	s.messages++
	sum := sha256.Sum256(m.Body)
	if len(id) != 16 || !bytes.Equal(id[:4], sum[:4]) || int(binary.LittleEndian.Uint32(id[4:])) != s.messages {
		return fmt.Errorf("message %d has %x in header 128, its body %x", s.messages, id, sum[:4])
	}
	return nil
}

// begin makes the first message of a direction that is encrypted.
func (s *stream) begin() (*message, error) {
	var header []byte
	var err error
	if s.sealer, header, err = secretstream.NewEncryptor(&s.tx); err != nil {
		return nil, err
	}
	return s.data(header, 0), nil
}

// data makes the next message.
func (s *stream) data(body []byte, flags uint32) *message {
	m := about(edge.TypeData, s.id, body)
	s.seq++
	if s.seq == 1 {
		flags |= s.announce
	}
	if s.numbered {
		m.Headers.PutUint32(edge.HeaderSeq, s.seq)
	}
	if flags != 0 {
		m.Headers.PutUint32(edge.HeaderFlags, flags)
	}
	if s.traced {
		sum := sha256.Sum256(body)
		id := append(binary.LittleEndian.AppendUint32(sum[:4:4], s.seq), make([]byte, 8)...)
		binary.LittleEndian.PutUint64(id[8:], uint64(time.Now().UnixMilli()))
		m.Headers.PutBytes(edge.HeaderUUID, id)
	}
	return m
}

func (s *stream) Write(p []byte) (int, error) {
	var ms []*message
	for n := 0; n < len(p); {
		part := p[n:min(n+s.chunk, len(p))]
		n += len(part)
		m, err := s.message(part)
		if err != nil {
			return 0, err
		}
		ms = append(ms, m)
	}
	s.l.post(ms...)
	return len(p), nil
}

// message is one message with a part of a write, folded if both sides can.
func (s *stream) message(part []byte) (_ *message, err error) {
	var flags uint32
	if s.multipart && s.peer.Load()&edge.FlagMultipart != 0 && len(part) < 31<<10 {
		flags = edge.FlagMultipartMsg
		half := len(part) / 2
		var folded []byte
		for _, one := range [][]byte{part[:half], part[half:]} {
			folded = append(binary.LittleEndian.AppendUint16(folded, uint16(len(one))), one...)
		}
		part = folded
	}
	if s.sealed {
		part, err = s.sealer.Seal(nil, part)
	}
	return s.data(part, flags), err
}

// CloseWrite says that no more comes: an empty message of its own.
func (s *stream) CloseWrite() error {
	s.l.post(s.data(nil, edge.FlagFIN))
	return nil
}

// Close ends both directions.
func (s *stream) Close() error {
	s.l.detach(s.id)
	m := about(edge.TypeStateClosed, s.id, nil)
	if s.numbered {
		s.seq++
		m.Headers.PutUint32(edge.HeaderSeq, s.seq)
	}
	s.l.post(m)
	return nil
}
