package mesh

import (
	"encoding/binary"
	"fmt"
)

// Stream is an endless sequence of bytes in which every place differs from
// every other: a lost, doubled or exchanged byte is found where it happens.
type Stream struct {
	seed uint64
	at   int64
}

// NewStream returns the sequence of a seed, at its begin.
func NewStream(seed uint64) *Stream { return &Stream{seed: seed} }

// Fill writes the next bytes of the sequence.
func (s *Stream) Fill(b []byte) {
	for len(b) > 0 {
		word, skip := s.word()
		n := copy(b, word[skip:])
		b = b[n:]
		s.at += int64(n)
	}
}

// Check compares the next bytes of the sequence. The error says where they
// differ first.
func (s *Stream) Check(b []byte) error {
	for len(b) > 0 {
		word, skip := s.word()
		n := min(len(b), len(word)-skip)
		for i, c := range b[:n] {
			if c != word[skip+i] {
				return fmt.Errorf("wrong byte at offset %d", s.at+int64(i))
			}
		}
		b = b[n:]
		s.at += int64(n)
	}
	return nil
}

// word is the word at the current place, and how much of it is over. It is a
// step of splitmix64.
func (s *Stream) word() (word [8]byte, skip int) {
	x := s.seed + uint64(s.at/8+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	binary.LittleEndian.PutUint64(word[:], x^x>>31)
	return word, int(s.at % 8)
}
