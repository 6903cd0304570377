package http

import (
	"fmt"
	"sync"
	"testing"
)

// TestParallel reads and writes at the same time; it is for the race detector.
func TestParallel(t *testing.T) {
	f := newFixture(t)
	user, service, router := world(f)
	f.routers[router] = RouterStatus{Online: true}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 20 {
				name := fmt.Sprintf("p%d-%d", i, n)
				id := f.create("services", obj{"name": name, "encryptionRequired": true, "roleAttributes": []string{"x"}})
				f.do("GET", m("/services?filter=name%%3D%%22%s%%22", name), nil).is("data.0.id", id)
				f.do("GET", c("/services"), nil, "zt-session", "user").is("data.0.id", service)
				f.do("GET", m("/identities/%s/services?sort=name", user), nil).is("data.0.id", service)
				f.do("DELETE", m("/services/%s", id), nil).status(200)
			}
		})
	}
	group.Wait()
}
