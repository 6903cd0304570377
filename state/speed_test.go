package state

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
)

const many = 10_000

// crowd is a world of count identities, each with an authenticator.
func crowd(t testing.TB, count int) *world {
	w := newWorld(t)
	for i := 0; i < count; i += 100 {
		c := w.command()
		for n := i; n < i+100; n++ {
			id := fmt.Sprintf("id%06d", n)
			c.Create(with(id, &model.Identity{Name: "name " + id, RoleAttributes: []string{"users", fmt.Sprint("group", n%50)}}))
			c.Create(with("a"+id, &model.Authenticator{Method: model.MethodCert, IdentityID: id, Fingerprint: fmt.Sprintf("%040d", n), CertPem: string(bytes.Repeat([]byte("x"), 800))}))
		}
		w.must(c)
	}
	return w
}

// TestRestoreOfManyIsQuick compares with the time that the entries took to make,
// which is as slow as the machine and the race detector are at the moment.
func TestRestoreOfManyIsQuick(t *testing.T) {
	begin := time.Now()
	w := crowd(t, 2000)
	made := time.Since(begin)
	var b bytes.Buffer
	if _, err := w.View().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := s.Restore(&b); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("restored %d identities in %v, made in %v", s.View().Count(model.KindIdentity), took, made)
	if took > made {
		t.Error("too slow")
	}
}

func BenchmarkGet(b *testing.B) {
	w := crowd(b, many)
	v := w.View()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if Get[model.Identity](v, "id001234") == nil {
			b.Fatal("not there")
		}
	}
}

func BenchmarkByFingerprint(b *testing.B) {
	w := crowd(b, many)
	key := fmt.Sprintf("%040d", 77)
	b.ReportAllocs()
	for b.Loop() {
		if FirstBy[model.Authenticator](w.View(), ByFingerprint, key) == nil {
			b.Fatal("not there")
		}
	}
}

func BenchmarkScan(b *testing.B) {
	w := crowd(b, many)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range All[model.Identity](w.View()) {
			n++
		}
		if n != many {
			b.Fatal(n)
		}
	}
}

func BenchmarkApplyCreate(b *testing.B) {
	w := crowd(b, many)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.must(w.command().Create(identity(fmt.Sprint("new", i))))
	}
}
