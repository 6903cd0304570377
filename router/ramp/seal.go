package ramp

import (
	"errors"
	"sync"

	"github.com/weftnet/weft/wire/secretstream"
)

// sealing is end-to-end encryption that ends in this process. One goroutine
// seals and one opens.
type sealing struct {
	keys   secretstream.SessionKeys
	out    *secretstream.Encryptor
	header []byte // of our direction, the first thing sent
	in     *secretstream.Decryptor
}

var errNoHeader = errors.New("the peer did not begin with the header of its encryption")

func newSealing(keys *secretstream.SessionKeys) (*sealing, error) {
	out, header, err := secretstream.NewEncryptor(&keys.TX)
	if err != nil {
		return nil, err
	}
	return &sealing{keys: *keys, out: out, header: header}, nil
}

// seal encrypts b[front:front+n] where it lies and returns the message.
func (s *sealing) seal(b []byte, n int) ([]byte, error) {
	out, err := s.out.Seal(b[:front-1], b[front:front+n])
	if err != nil {
		return nil, err
	}
	return out[front-1:], nil
}

// opened is memory of an opened message.
type opened = *[readSize]byte

var openBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// open decrypts a message into pooled memory, which the caller gives back when
// it is not nil. The first message of a direction is its header and has no text.
func (s *sealing) open(box []byte) (text []byte, memory opened, err error) {
	switch {
	case len(box) == 0:
		return nil, nil, nil
	case s.in == nil:
		if s.in, err = secretstream.NewDecryptor(&s.keys.RX, box); err != nil {
			err = errNoHeader
		}
		return nil, nil, err
	case len(box) > readSize:
		text, err = s.in.Open(nil, box)
		return text, nil, err
	}
	memory = openBuffers.Get().(opened)
	text, err = s.in.Open(memory[:0], box)
	return text, memory, err
}
