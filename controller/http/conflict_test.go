package http

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// atOnce sends requests at the same time and counts the statuses.
func (f *fixture) atOnce(requests ...[3]string) map[int]int {
	f.t.Helper()
	var (
		lock  sync.Mutex
		work  sync.WaitGroup
		start = make(chan struct{})
		out   = map[int]int{}
	)
	for _, q := range requests {
		work.Go(func() {
			<-start
			r := httptest.NewRequest(q[0], q[1], strings.NewReader(q[2]))
			r.Header.Set("zt-session", "admin")
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			lock.Lock()
			defer lock.Unlock()
			if out[w.Code]++; w.Code >= http.StatusInternalServerError {
				f.t.Errorf("%v: %d %s", q, w.Code, w.Body)
			}
		})
	}
	close(start)
	work.Wait()
	return out
}

const writers = 8

// TestSameNameAtOnce: of many creates with one name, one succeeds.
func TestSameNameAtOnce(t *testing.T) {
	f := newFixture(t)
	for plural, body := range map[string]string{
		"services": `{"name":"same","encryptionRequired":true}`, "identities": `{"name":"same","type":"Default","isAdmin":false}`, "edge-routers": `{"name":"same"}`,
		"service-policies": `{"name":"same","type":"Dial","semantic":"AnyOf","identityRoles":["#all"],"serviceRoles":["#all"]}`,
	} {
		var all [][3]string
		for range writers {
			all = append(all, [3]string{"POST", m("/%s", plural), body})
		}
		if got := f.atOnce(all...); got[201] != 1 || got[400] != writers-1 {
			t.Errorf("%s: %v", plural, got)
		}
	}
}

// TestChangesAtOnce: of many changes at once each is made whole, in some order;
// of a delete and changes, the changes succeed or find nothing.
func TestChangesAtOnce(t *testing.T) {
	f := newFixture(t)
	id := f.create("services", obj{"name": "s", "encryptionRequired": true})
	var puts, patches [][3]string
	for i := range writers {
		text := fmt.Sprintf(`{"name":"s%d","encryptionRequired":true,"roleAttributes":["a%d"],"tags":{"n":%d}}`, i, i, i)
		puts = append(puts, [3]string{"PUT", m("/services/%s", id), text})
		patches = append(patches, [3]string{"PATCH", m("/services/%s", id), text})
	}
	whole := func() {
		t.Helper()
		e := state.Get[model.Service](f.store.View(), id)
		n := strings.TrimPrefix(e.Name, "s")
		if len(e.RoleAttributes) != 1 || e.RoleAttributes[0] != "a"+n || fmt.Sprint(e.Tags["n"]) != n {
			t.Errorf("parts of several changes: %+v", e)
		}
	}
	if got := f.atOnce(puts...); got[200] != writers {
		t.Errorf("PUT: %v", got)
	}
	whole()
	if got := f.atOnce(patches...); got[200] != writers {
		t.Errorf("PATCH: %v", got)
	}
	whole()
	got := f.atOnce(append(puts, [3]string{"DELETE", m("/services/%s", id), ""}, [3]string{"DELETE", m("/services/%s", id), ""})...)
	if got[200]+got[404] != writers+2 || got[404] == 0 {
		t.Errorf("changes and deletes: %v", got)
	}
	f.do("GET", m("/services/%s", id), nil).status(404)
}

// TestReferencesAtOnce: a delete of what others are about to use leaves no
// reference to nothing.
func TestReferencesAtOnce(t *testing.T) {
	f := newFixture(t)
	typ := f.create("config-types", obj{"name": "any"})
	for range 10 {
		config := f.create("configs", obj{"name": "c", "configTypeId": typ, "data": obj{"port": 80}})
		text := fmt.Sprintf(`{"name":"s","encryptionRequired":true,"configs":[%q]}`, config)
		got := f.atOnce([3]string{"DELETE", m("/configs/%s", config), ""}, [3]string{"POST", m("/services"), text})
		switch {
		case got[200] == 1 && got[201] == 0, got[409] == 1 && got[201] == 1: // one of them came first
		case got[200] == 1 && got[201] == 1:
			if e := state.FirstBy[model.Service](f.store.View(), state.ByName, "s"); len(e.Configs) > 0 {
				t.Error("a service has a config that does not exist")
			}
		default:
			t.Errorf("%v", got)
		}
		if e := state.FirstBy[model.Service](f.store.View(), state.ByName, "s"); e != nil {
			f.do("DELETE", m("/services/%s", e.ID), nil).status(200)
		}
		if state.Get[model.Config](f.store.View(), config) != nil {
			f.do("DELETE", m("/configs/%s", config), nil).status(200)
		}
	}
}

// TestHardFilters: a filter that looks at very much is refused after so many
// values, not after so much time, and harms nobody else.
func TestHardFilters(t *testing.T) {
	f := newFixture(t)
	f.server.maxSteps = 1 << 17
	attributes := make([]string, 1000)
	for i := range attributes {
		attributes[i] = fmt.Sprint("a", i)
	}
	for i := range 8 {
		f.create("services", obj{"name": fmt.Sprint("s", i), "encryptionRequired": true, "roleAttributes": attributes})
	}
	hard := "(" + strings.Repeat(`anyOf(roleAttributes) = "x" or `, 430) + "false)"
	path := m("/services") + "?filter=" + strings.ReplaceAll(strings.ReplaceAll(hard, " ", "%20"), `"`, "%22")
	f.do("GET", path, nil).status(400).is("error.code", "INVALID_FILTER").is("error.cause.field", "filter")
	f.do("GET", path+"&sort=name", nil).status(400).is("error.code", "INVALID_FILTER")
	f.do("GET", m("/services?filter=anyOf(roleAttributes)%%20=%%20%%22a999%%22&limit=1"), nil).status(200).is("meta.pagination.totalCount", 8)
}
