package secretstream

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/poly1305" //lint:ignore SA1019 the stream's MAC is not that of RFC 8439, and this is the only Poly1305 with assembly
)

// Errors of a stream; match them with errors.Is. All are final.
var (
	ErrHeader    = errors.New("secretstream: stream header must be 24 bytes")
	ErrShort     = errors.New("secretstream: message shorter than its overhead")
	ErrAuth      = errors.New("secretstream: message is not authentic")
	ErrTag       = errors.New("secretstream: peer wants to rekey, which is not supported")
	ErrExhausted = errors.New("secretstream: stream has carried all messages it may")
)

// A sealed message is what ChaCha20-Poly1305 makes of a block of 64 bytes (the
// tag and 63 zeros) followed by the text, of which only the first byte of the
// block travels. The MAC differs from RFC 8439 only in its padding, and not
// even in that if the text is a multiple of 8 long. So the fast AEAD does the
// work in one pass, and texts of other lengths get their MAC in a second one.
const (
	blockSize = 64
	macSize   = 16
	tagRekey  = 2
)

// Headroom is the number of bytes in front of a message that Seal and
// OpenInPlace borrow while they work; with fewer they have to move the text.
const Headroom = blockSize - 1

type stream struct {
	aead  cipher.AEAD
	key   [KeySize]byte
	nonce [chacha20.NonceSize]byte // counter, then what the header and all MACs so far make of it
}

func newStream(key *[KeySize]byte, header []byte) (stream, error) {
	var s stream
	if len(header) != HeaderSize {
		return s, fmt.Errorf("%w, got %d", ErrHeader, len(header))
	}
	k, err := chacha20.HChaCha20(key[:], header[:16])
	if err != nil {
		return s, fmt.Errorf("secretstream: %w", err)
	}
	copy(s.key[:], k)
	if s.aead, err = chacha20poly1305.New(k); err != nil {
		return s, fmt.Errorf("secretstream: %w", err)
	}
	s.nonce[0] = 1
	copy(s.nonce[4:], header[16:])
	return s, nil
}

// keystream returns the first two blocks: the key of the MAC and the cover of the tag block.
func (s *stream) keystream() (ks [2 * blockSize]byte, err error) {
	c, err := chacha20.NewUnauthenticatedCipher(s.key[:], s.nonce[:])
	if err != nil {
		return ks, err
	}
	c.XORKeyStream(ks[:], ks[:])
	return ks, nil
}

// mac computes the MAC of the encrypted block and text of n bytes together.
func mac(out *[macSize]byte, key *[32]byte, work []byte, n int) {
	var tail [15 + 16]byte
	pad := n % 16 // the construction's own rule, not the distance to the boundary
	binary.LittleEndian.PutUint64(tail[pad+8:], uint64(blockSize+n))
	h := poly1305.New(key)
	h.Write(work)
	h.Write(tail[:pad+16])
	h.Sum(out[:0])
}

// advance moves to the next message.
func (s *stream) advance(mac []byte) {
	for i := range 8 {
		s.nonce[4+i] ^= mac[i]
	}
	binary.LittleEndian.PutUint32(s.nonce[:4], binary.LittleEndian.Uint32(s.nonce[:4])+1)
}

func (s *stream) exhausted() bool { return binary.LittleEndian.Uint32(s.nonce[:4]) == math.MaxUint32 }

// Encryptor seals the messages of one direction. It is not safe for concurrent use.
type Encryptor struct{ s stream }

// NewEncryptor returns an encryptor and the stream header to send first.
func NewEncryptor(key *[KeySize]byte) (*Encryptor, []byte, error) {
	header := make([]byte, HeaderSize)
	rand.Read(header)
	e, err := NewEncryptorWithHeader(key, header)
	return e, header, err
}

// NewEncryptorWithHeader is for a header chosen by the caller, who must never
// use one twice with the same key.
func NewEncryptorWithHeader(key *[KeySize]byte, header []byte) (*Encryptor, error) {
	s, err := newStream(key, header)
	if err != nil {
		return nil, err
	}
	return &Encryptor{s}, nil
}

// Seal appends the sealed text to dst and returns the result, len(text)+Overhead
// bytes longer. Text may lie where its ciphertext will be, at
// dst[len(dst)+1:], and must not overlap the rest. It returns ErrExhausted.
func (e *Encryptor) Seal(dst, text []byte) ([]byte, error) {
	if e.s.exhausted() {
		return dst, ErrExhausted
	}
	at, n := len(dst), len(text)
	if at >= Headroom {
		dst = slices.Grow(dst, n+Overhead)[:at+n+Overhead]
		copy(dst[at+1:], text)
		var saved [Headroom]byte
		copy(saved[:], dst[at-Headroom:at])
		e.seal(dst[at-Headroom:])
		dst[at] = dst[at-Headroom]
		copy(dst[at-Headroom:at], saved[:])
		return dst, nil
	}
	dst = slices.Grow(dst, blockSize+n+macSize)[:at+blockSize+n+macSize]
	copy(dst[at+blockSize:], text)
	e.seal(dst[at:])
	copy(dst[at+1:], dst[at+blockSize:])
	return dst[:at+n+Overhead], nil
}

// seal encrypts work in place: a block of 64 bytes, the text, room for the MAC.
func (e *Encryptor) seal(work []byte) {
	n := len(work) - blockSize - macSize
	clear(work[:blockSize])
	e.s.aead.Seal(work[:0], e.s.nonce[:], work[:blockSize+n], nil)
	if n%8 != 0 {
		ks, _ := e.s.keystream() // cannot fail: sizes are fixed
		mac((*[macSize]byte)(work[blockSize+n:]), (*[32]byte)(ks[:32]), work[:blockSize+n], n)
	}
	e.s.advance(work[blockSize+n:])
}

// Decryptor opens the messages of one direction. It is not safe for concurrent use.
type Decryptor struct{ s stream }

// NewDecryptor starts a stream with the header that the peer sent; any other
// size than HeaderSize is ErrHeader.
func NewDecryptor(key *[KeySize]byte, header []byte) (*Decryptor, error) {
	s, err := newStream(key, header)
	if err != nil {
		return nil, err
	}
	return &Decryptor{s}, nil
}

// Open appends the text of a sealed message to dst. Box must not overlap dst.
// Errors are ErrShort, ErrAuth, ErrTag and ErrExhausted.
func (d *Decryptor) Open(dst, box []byte) ([]byte, error) {
	at := len(dst)
	if len(box) < Overhead {
		return dst, ErrShort
	}
	room := slices.Grow(dst, Headroom+len(box))[:at+Headroom+len(box)]
	copy(room[at+Headroom:], box)
	if err := d.open(room[at:]); err != nil {
		return dst, err
	}
	n := copy(room[at:], room[at+blockSize:len(room)-macSize])
	return room[:at+n], nil
}

// OpenInPlace opens the sealed message buf[at:] where it lies and returns its
// text, which aliases buf. It needs at >= Headroom to work without copying.
// Errors are those of Open; the message is destroyed by a failure.
func (d *Decryptor) OpenInPlace(buf []byte, at int) ([]byte, error) {
	if at < Headroom {
		return d.Open(nil, buf[at:])
	}
	if len(buf)-at < Overhead {
		return nil, ErrShort
	}
	var saved [Headroom]byte
	copy(saved[:], buf[at-Headroom:at])
	err := d.open(buf[at-Headroom:])
	copy(buf[at-Headroom:at], saved[:])
	if err != nil {
		return nil, err
	}
	return buf[at+1 : len(buf)-macSize], nil
}

// open decrypts work in place: 63 bytes of anything, then the message.
func (d *Decryptor) open(work []byte) error {
	if d.s.exhausted() {
		return ErrExhausted
	}
	ks, err := d.s.keystream()
	if err != nil {
		return fmt.Errorf("secretstream: %w", err)
	}
	n := len(work) - blockSize - macSize
	// The tag block has one byte that travelled and 63 zeros that did not:
	// encrypted, those are the key stream.
	sealedTag := work[Headroom]
	tag := sealedTag ^ ks[blockSize]
	work[0] = sealedTag
	copy(work[1:blockSize], ks[blockSize+1:])
	var sum [macSize]byte
	copy(sum[:], work[blockSize+n:])
	if n%8 == 0 {
		if _, err := d.s.aead.Open(work[:0], d.s.nonce[:], work, nil); err != nil {
			return ErrAuth
		}
	} else {
		var want [macSize]byte
		mac(&want, (*[32]byte)(ks[:32]), work[:blockSize+n], n)
		if subtle.ConstantTimeCompare(want[:], sum[:]) != 1 {
			return ErrAuth
		}
		d.s.aead.Seal(work[:0], d.s.nonce[:], work[:blockSize+n], nil) // encrypting again decrypts
	}
	if tag&tagRekey != 0 {
		return ErrTag
	}
	d.s.advance(sum[:])
	return nil
}
