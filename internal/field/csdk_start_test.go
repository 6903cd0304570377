package field

import (
	"testing"
)

func TestCStart(t *testing.T) {
	t.Parallel()
	n := common(t)
	role := unique("role")
	const many = cPage + 5
	kind := n.admin.create(t, "config-types", map[string]any{"name": unique("kind"), "schema": map[string]any{}})
	config := n.admin.create(t, "configs", map[string]any{"name": unique("config"), "configTypeId": kind, "data": map[string]any{"port": 80}})
	var names []string
	for range many {
		names = append(names, unique("paged"))
		n.admin.create(t, "services", map[string]any{"name": names[len(names)-1], "encryptionRequired": true,
			"roleAttributes": []string{role}, "configs": []string{config}})
	}
	policy := n.admin.create(t, "service-policies", map[string]any{"name": unique("policy"), "type": "Dial", "semantic": "AnyOf",
		"identityRoles": []string{"#" + role}, "serviceRoles": []string{"#" + role}})
	c := newC(t, n, "c", role)
	if len(c.services) != many {
		t.Fatalf("%d services after paging, want %d", len(c.services), many)
	}
	for _, name := range names {
		if s := c.services[name]; !s.dial || s.bind || !s.encrypted || len(s.configs) != 1 {
			t.Fatalf("%s: %+v", name, s)
		}
	}
	if len(c.routers) != 1 {
		t.Fatalf("routers %v, want one", c.routers)
	}

	t.Run("second start", func(t *testing.T) { c.version("/edge/client/v1/version") })
	t.Run("nothing changes", func(t *testing.T) {
		if c.poll() {
			t.Error("lastChangeAt moved although nothing changed")
		}
	})
	for _, tt := range []struct {
		name   string
		change func(t *testing.T)
		check  func() bool
	}{
		{"a service changes", func(t *testing.T) {
			id := c.services[names[0]].id
			n.admin.done(t, "PATCH", "/services/"+id, map[string]any{"encryptionRequired": false, "tags": map[string]any{"a": 1}})
		}, nil},
		{"a config changes", func(t *testing.T) {
			n.admin.done(t, "PATCH", "/configs/"+config, map[string]any{"data": map[string]any{"port": 81}})
		}, nil},
		{"a policy changes", func(t *testing.T) {
			n.admin.done(t, "PATCH", "/service-policies/"+policy, map[string]any{"type": "Bind", "serviceRoles": []string{"@" + c.services[names[1]].id}})
		}, func() bool { return len(c.services) == 1 }},
		{"the identity changes", func(t *testing.T) {
			n.admin.done(t, "PATCH", "/identities/"+c.me.id, map[string]any{"roleAttributes": []string{}})
		}, func() bool { return len(c.services) == 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.change(t)
			if !within(patience, c.poll) {
				t.Fatal("lastChangeAt does not move")
			}
			if tt.check != nil && !tt.check() {
				t.Fatalf("%d services, another number wanted", len(c.services))
			}
		})
	}
	t.Run("unknown service", func(t *testing.T) {
		if _, ok := c.lookup(names[0]); ok {
			t.Error("a service without access is found")
		}
		b := c.burst()
		defer b.end()
		d := b.json("POST", c.path+"/sessions", map[string]any{"serviceId": "nothing", "type": "Dial"}, 404)
		d.refusal("NOT_FOUND")
	})
}

// TestCTokenLost: on a 401 of current-identity the client throws its token away
// and logs in again at once.
func TestCTokenLost(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newC(t, n, "c")
	d := n.admin.call(t, "GET", "/api-sessions?filter="+"identity%3D%22"+c.me.id+"%22", nil, 200)
	for _, s := range d.at("data").list() {
		n.admin.done(t, "DELETE", "/api-sessions/"+s.at("id").text(), nil)
	}
	b := c.burst()
	a := b.answer("GET", c.path+"/current-identity", nil)
	b.end()
	if a.status != 401 {
		t.Fatalf("status %d after the session was removed, want 401", a.status)
	}
	parse(t, a.raw, "current-identity").refusal("UNAUTHORIZED")
	old := c.token
	c.authenticate()
	if c.token == old {
		t.Error("the removed token was issued again")
	}
	b = c.burst()
	defer b.end()
	c.identity(b)
}
