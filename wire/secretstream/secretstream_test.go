package secretstream

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

type hexBytes []byte

func (h *hexBytes) UnmarshalText(b []byte) error {
	v, err := hex.DecodeString(string(b))
	*h = v
	return err
}

type party struct{ Seed, Public, RX, TX hexBytes }

type transcript struct {
	Dialer, Host party
	Steps        []struct {
		From, Kind  string
		Plain, Body hexBytes
	}
}

func loadTranscript(t *testing.T) transcript {
	t.Helper()
	b, err := os.ReadFile("testdata/transcript.json")
	if err != nil {
		t.Fatal(err)
	}
	var tr transcript
	if err := json.Unmarshal(b, &tr); err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestKeyExchangeGolden(t *testing.T) {
	tr := loadTranscript(t)
	dialer, err := KeyPairFromSeed(tr.Dialer.Seed)
	if err != nil {
		t.Fatal(err)
	}
	host, err := KeyPairFromSeed(tr.Host.Seed)
	if err != nil {
		t.Fatal(err)
	}
	dk, err := ClientKeys(dialer, host.Public())
	if err != nil {
		t.Fatal(err)
	}
	hk, err := ServerKeys(host, dialer.Public())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want []byte }{
		"dialer public": {dialer.Public(), tr.Dialer.Public}, "host public": {host.Public(), tr.Host.Public},
		"dialer rx": {dk.RX[:], tr.Dialer.RX}, "dialer tx": {dk.TX[:], tr.Dialer.TX},
		"host rx": {hk.RX[:], tr.Host.RX}, "host tx": {hk.TX[:], tr.Host.TX},
	} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s: %x, want %x", name, c.got, c.want)
		}
	}
}

func TestStreamGolden(t *testing.T) {
	tr := loadTranscript(t)
	enc, dec := map[string]*Encryptor{}, map[string]*Decryptor{}
	keys := map[string]party{"dialer": tr.Dialer, "host": tr.Host}
	for i, s := range tr.Steps {
		var err error
		if s.Kind == "header" {
			tx := [KeySize]byte(keys[s.From].TX)
			if enc[s.From], err = NewEncryptorWithHeader(&tx, s.Body); err != nil {
				t.Fatal(err)
			}
			if dec[s.From], err = NewDecryptor(&tx, s.Body); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := enc[s.From].Seal(nil, s.Plain)
		if err != nil || !bytes.Equal(got, s.Body) {
			t.Fatalf("step %d: sealed %x, want %x (%v)", i, got, s.Body, err)
		}
		text, err := dec[s.From].Open(nil, s.Body)
		if err != nil || !bytes.Equal(text, s.Plain) {
			t.Fatalf("step %d: opened %x, want %x (%v)", i, text, s.Plain, err)
		}
	}
}

func pair(t testing.TB) (*Encryptor, *Decryptor) {
	t.Helper()
	key := [KeySize]byte{1, 2, 3}
	e, header, err := NewEncryptor(&key)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDecryptor(&key, header)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

// Every length and every way to call must give the same stream.
func TestAllLengthsAndPlacements(t *testing.T) {
	for _, room := range []int{0, 1, Headroom - 1, Headroom, 200} {
		t.Run(fmt.Sprintf("%d bytes in front", room), func(t *testing.T) {
			e, d := pair(t)
			e2 := &Encryptor{e.s}
			d2 := &Decryptor{d.s}
			r := rand.New(rand.NewPCG(1, uint64(room)))
			front := make([]byte, room)
			for i := range front {
				front[i] = byte(r.Uint32())
			}
			for n := range 300 {
				text := bytes.Repeat([]byte{byte(n)}, n)
				plain, err := e2.Seal(nil, text)
				if err != nil {
					t.Fatal(err)
				}
				buf, err := e.Seal(bytes.Clone(front), text)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(buf[:room], front) || !bytes.Equal(buf[room:], plain) || len(plain) != n+Overhead {
					t.Fatalf("length %d: sealing behind other bytes differs", n)
				}
				got, err := d.OpenInPlace(buf, room)
				if err != nil || !bytes.Equal(got, text) || !bytes.Equal(buf[:room], front) {
					t.Fatalf("length %d: in place: %v", n, err)
				}
				got, err = d2.Open(bytes.Clone(front), plain)
				if err != nil || !bytes.Equal(got[:room], front) || !bytes.Equal(got[room:], text) {
					t.Fatalf("length %d: appending: %v", n, err)
				}
			}
		})
	}
}

func TestSealOfTextInPlace(t *testing.T) {
	e, d := pair(t)
	buf := make([]byte, 100, 4096)
	text := buf[101:1101:4096]
	for i := range text {
		text[i] = byte(i)
	}
	want := bytes.Clone(text)
	buf, err := e.Seal(buf, text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Open(nil, buf[100:])
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal("text at the place of its ciphertext came out changed", err)
	}
}

func TestRefusals(t *testing.T) {
	e, d := pair(t)
	for _, n := range []int{0, 8, 13} {
		box, err := e.Seal(nil, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		for i := range box {
			bad := bytes.Clone(box)
			bad[i] ^= 0x10
			if _, err := d.Open(nil, bad); !errors.Is(err, ErrAuth) {
				t.Fatalf("length %d, byte %d changed: %v", n, i, err)
			}
		}
		if _, err := d.Open(nil, box); err != nil {
			t.Fatalf("a refused forgery must not advance the stream: %v", err)
		}
		if _, err := d.Open(nil, box); !errors.Is(err, ErrAuth) {
			t.Fatalf("replay: %v", err)
		}
	}
	if _, err := d.Open(nil, make([]byte, Overhead-1)); !errors.Is(err, ErrShort) {
		t.Error("short message:", err)
	}
	if _, err := NewDecryptor(&[KeySize]byte{}, make([]byte, 23)); !errors.Is(err, ErrHeader) {
		t.Error("short header:", err)
	}
	k, err := NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string][]byte{"zero point": make([]byte, 32), "key of AES-GCM": make([]byte, 65), "nothing": nil} {
		if _, err := ClientKeys(k, key); !errors.Is(err, ErrPeerKey) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ServerKeys(k, key); !errors.Is(err, ErrPeerKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStreamEndsBeforeCounterWraps(t *testing.T) {
	e, d := pair(t)
	for i := range 4 {
		e.s.nonce[i], d.s.nonce[i] = 0xff, 0xff
	}
	e.s.nonce[0], d.s.nonce[0] = 0xfe, 0xfe
	box, err := e.Seal(nil, []byte("last"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open(nil, box); err != nil {
		t.Fatal(err)
	}
	if !e.s.exhausted() {
		t.Fatal("counter is not", uint32(math.MaxUint32))
	}
	if _, err := e.Seal(nil, nil); !errors.Is(err, ErrExhausted) {
		t.Error(err)
	}
	if _, err := d.Open(nil, box); !errors.Is(err, ErrExhausted) {
		t.Error(err)
	}
}

func TestRekeyTagIsRefused(t *testing.T) {
	e, d := pair(t)
	work := make([]byte, blockSize+8+macSize)
	work[0] = tagRekey
	e.s.aead.Seal(work[:0], e.s.nonce[:], work[:blockSize+8], nil)
	box := append([]byte{work[0]}, work[blockSize:]...)
	if _, err := d.Open(nil, box); !errors.Is(err, ErrTag) {
		t.Error(err)
	}
}

func TestNoAllocation(t *testing.T) {
	e, d := pair(t)
	buf := make([]byte, 100, 70000)
	text := make([]byte, 65536)
	if n := testing.AllocsPerRun(20, func() {
		box, _ := e.Seal(buf, text)
		if _, err := d.OpenInPlace(box, 100); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations per aligned message", n)
	}
	if n := testing.AllocsPerRun(20, func() {
		box, _ := e.Seal(buf, text[:1])
		if _, err := d.OpenInPlace(box, 100); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations per small message", n)
	}
}

func FuzzOpen(f *testing.F) {
	e, _ := pair(f)
	box, _ := e.Seal(nil, []byte("hello"))
	f.Add(box)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, d := pair(t)
		if _, err := d.Open(nil, b); err == nil {
			t.Fatal("forged")
		}
		if _, err := d.OpenInPlace(append(make([]byte, Headroom), b...), Headroom); err == nil {
			t.Fatal("forged")
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	for _, n := range []int{1, 1024, 32768, 32767, 65536} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, _ := pair(b)
			buf, text := make([]byte, 100, 100+n+Overhead), make([]byte, n)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Seal(buf, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1, 1024, 32768, 32767, 65536} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, d := pair(b)
			start := d.s
			box, err := e.Seal(make([]byte, 100, 100+n+Overhead), make([]byte, n))
			if err != nil {
				b.Fatal(err)
			}
			work := bytes.Clone(box)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				copy(work, box)
				d.s = start
				if _, err := d.OpenInPlace(work, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
