package http

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// discard is a response that keeps nothing.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

func populated(b *testing.B, n int) *fixture {
	f := newFixture(b)
	cmd := state.NewCommand(f.now, state.Author{}, state.Source{})
	for i := range n {
		e := &model.Identity{Name: fmt.Sprintf("identity-%05d", i), Type: model.IdentityDefault, RoleAttributes: []string{"users", fmt.Sprint("group", i%100)}}
		e.ID = fmt.Sprintf("id%08d", i)
		a := &model.Authenticator{Method: model.MethodCert, IdentityID: e.ID, Fingerprint: fmt.Sprintf("%040d", i)}
		a.ID = "a" + e.ID
		cmd.Create(e).Create(a)
	}
	f.apply(cmd)
	return f
}

func benchmark(b *testing.B, f *fixture, path string, headers ...string) {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("zt-session", "admin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := &discard{http.Header{}}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		clear(w.h)
		f.handler.ServeHTTP(w, r)
	}
}

func BenchmarkList100Of10000(b *testing.B) {
	benchmark(b, populated(b, 10000), m("/identities?limit=100"))
}
func BenchmarkListCompressed(b *testing.B) {
	benchmark(b, populated(b, 10000), m("/identities?limit=100"), "Accept-Encoding", "gzip")
}
func BenchmarkListByName(b *testing.B) {
	benchmark(b, populated(b, 10000), m("/identities?filter=name%%3D%%22identity-05000%%22"))
}
func BenchmarkListContains(b *testing.B) {
	benchmark(b, populated(b, 10000), m("/identities?filter=name%%20contains%%20%%2299%%22&limit=100"))
}
func BenchmarkListSorted(b *testing.B) {
	benchmark(b, populated(b, 10000), m("/identities?sort=name%%20desc&limit=100"))
}
func BenchmarkDetail(b *testing.B)  { benchmark(b, populated(b, 10000), m("/identities/id00005000")) }
func BenchmarkVersion(b *testing.B) { benchmark(b, newFixture(b), "/version") }
func BenchmarkListCircuits(b *testing.B) {
	f := newFixture(b)
	newMesh(b, f)
	for i := range 10000 {
		c := *f.mesh.circuits[0]
		c.ID = fmt.Sprintf("c%05d", i*7919%10000)
		f.mesh.circuits = append(f.mesh.circuits, &c)
	}
	benchmark(b, f, fb("/circuits?limit=100"))
}
