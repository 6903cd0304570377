package message

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
)

var wide = Limits{Headers: 1 << 20, Body: 1 << 20}

// golden returns the raw messages of the edge protocol's vectors by name.
func golden(t testing.TB) map[string][]byte {
	t.Helper()
	f, err := os.Open("../edge/testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]byte{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var v struct {
			Name, Hex string
			Type      *int32
		}
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if v.Type != nil {
			if out[v.Name], err = hex.DecodeString(v.Hex); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(out) < 60 {
		t.Fatalf("only %d vectors", len(out))
	}
	return out
}

func TestGolden(t *testing.T) {
	for name, raw := range golden(t) {
		t.Run(name, func(t *testing.T) {
			m, n, err := Parse(append(slices.Clone(raw), "next"...), wide)
			if err != nil || n != len(raw) {
				t.Fatalf("took %d of %d bytes: %v", n, len(raw), err)
			}
			if got := m.Append(nil); !bytes.Equal(got, raw) || m.Size() != len(raw) {
				t.Errorf("encoded again: %x, want %x", got, raw)
			}
			r, err := Read(bytes.NewReader(raw), wide)
			if err != nil || !bytes.Equal(r.Append(nil), raw) {
				t.Errorf("read: %v", err)
			}
			for cut := range raw {
				if _, _, err := Parse(raw[:cut], wide); !errors.Is(err, ErrShort) {
					t.Fatalf("cut at %d: %v", cut, err)
				}
			}
			if _, err := Read(bytes.NewReader(raw[:len(raw)-1]), wide); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
				t.Errorf("cut short: %v", err)
			}
		})
	}
}

func TestHeaderTypes(t *testing.T) {
	var h Headers
	h.PutBool(1, true)
	h.PutBool(2, false)
	h.PutBytes(3, []byte{2})
	h.PutByte(4, 9)
	h.PutUint16(5, 0xfffe)
	h.PutUint32(6, 0xfffffffe)
	h.PutUint64(7, 1<<63)
	h.PutString(8, "text")
	h.PutBytes(9, nil)
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	if !h.Bool(1) || h.Bool(2) || h.Bool(3) || h.Bool(9) || h.Bool(99) {
		t.Error("a bool is true only if its first byte is 1")
	}
	if v, ok := h.Byte(4); v != 9 || !ok {
		t.Error("byte")
	}
	if v, ok := h.Uint16(5); v != 0xfffe || !ok {
		t.Error("uint16")
	}
	if v, ok := h.Uint32(6); v != 0xfffffffe || !ok {
		t.Error("uint32")
	}
	if v, ok := h.Int32(6); v != -2 || !ok {
		t.Error("int32")
	}
	if v, ok := h.Uint64(7); v != 1<<63 || !ok {
		t.Error("uint64")
	}
	if h.String(8) != "text" || h.String(99) != "" {
		t.Error("string")
	}
	if _, ok := h.Uint32(5); ok {
		t.Error("a number of another size is absent")
	}
	if _, ok := h.Byte(9); ok || !h.Has(9) || h.Has(99) {
		t.Error("an empty value is present but no byte")
	}
}

func TestHeadersRepeatedAndDeleted(t *testing.T) {
	var h Headers
	h.PutString(1, "first")
	h.PutString(2, "other")
	h.PutString(1, "last")
	if h.String(1) != "last" {
		t.Error("the last entry counts")
	}
	c := h.Clone()
	h.Delete(1)
	if h.Has(1) || h.String(2) != "other" || c.String(1) != "last" {
		t.Error("delete")
	}
	n := 0
	c.Each(func(int32, []byte) bool { n++; return n < 2 })
	if n != 2 {
		t.Error("Each goes on after false")
	}
}

func TestRefusals(t *testing.T) {
	good := (&Message{Type: 1, Headers: Headers{1, 0, 0, 0, 1, 0, 0, 0, 7}, Body: []byte("body")}).Append(nil)
	mark := slices.Clone(good)
	mark[3] = 0
	long := slices.Clone(good)
	long[PrefixSize+4] = 2 // the entry is longer than the area
	rest := slices.Clone(good)
	rest[12], rest[16] = 7, 6 // the area ends within an entry
	for _, c := range []struct {
		name   string
		b      []byte
		limits Limits
		want   error
	}{
		{"marker", mark, wide, ErrMarker},
		{"entry too long", long, wide, ErrHeaders},
		{"entry cut short", rest, wide, ErrHeaders},
		{"headers over the limit", good, Limits{Headers: 8, Body: 4}, ErrTooLarge},
		{"body over the limit", good, Limits{Headers: 9, Body: 3}, ErrTooLarge},
		{"at the limit", good, Limits{Headers: 9, Body: 4}, nil},
		{"lengths whose sum overflows", append(slices.Clone(good[:12]), 255, 255, 255, 255, 255, 255, 255, 255), Limits{^uint32(0), ^uint32(0)}, ErrShort},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := Parse(c.b, c.limits); !errors.Is(err, c.want) {
				t.Errorf("parse: %v", err)
			}
			if c.want == ErrShort {
				return
			}
			if _, err := Read(bytes.NewReader(c.b), c.limits); !errors.Is(err, c.want) {
				t.Errorf("read: %v", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, raw := range golden(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, n, err := Parse(b, wide)
		if err != nil {
			return
		}
		if !bytes.Equal(m.Append(nil), b[:n]) {
			t.Fatal("encodes to other bytes")
		}
		m.Headers.Each(func(id int32, _ []byte) bool {
			if !m.Headers.Has(id) {
				t.Fatal("lost an entry")
			}
			return true
		})
		h := m.Headers.Clone()
		h.Delete(connID)
		if h.Has(connID) || h.Validate() != nil {
			t.Fatal("delete")
		}
	})
}

// connID is the id that most of the seeds carry.
const connID = 1000
