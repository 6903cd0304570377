package state

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
)

// damage removes entities from a snapshot as no command would: what refers to
// them stays. rename gives entities another name.
func (w *world) damage(gone map[string]bool, rename map[string]string) {
	w.t.Helper()
	var text, out bytes.Buffer
	if _, err := w.View().WriteTo(&text); err != nil {
		w.t.Fatal(err)
	}
	count := 0
	for i, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		var e struct {
			Kind   model.Kind     `json:"kind,omitempty"`
			Entity map[string]any `json:"entity,omitempty"`
			Count  *int           `json:"count,omitempty"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatal(err)
		}
		id, _ := e.Entity["id"].(string)
		switch {
		case i == 0:
			out.WriteString(line + "\n")
			continue
		case e.Count != nil:
			e.Count = &count
		case gone[string(e.Kind)+" "+id]:
			continue
		default:
			count++
		}
		if name := rename[id]; name != "" {
			e.Entity["name"] = name
		}
		b, err := json.Marshal(e)
		if err != nil {
			w.t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	if err := w.Restore(&out); err != nil {
		w.t.Fatal(err)
	}
	w.index = w.View().Index()
}

// sound is a world with one of everything that refers to something.
func sound(t *testing.T) *world {
	w := newWorld(t)
	r := with("r1", &model.EdgeRouter{Name: "r1", IsTunnelerEnabled: true})
	w.must(w.command().AsSystem().
		Create(with("ct", &model.ConfigType{Name: "ct"})).Create(config("c1", "ct")).Create(config("c2", "ct")).
		Create(with("s1", &model.Service{Name: "s1", Configs: []string{"c1"}})).Create(service("s2")).Create(r).
		Create(with("ap", &model.AuthPolicy{Name: "ap"})).
		Create(with("i1", &model.Identity{Name: "i1", AuthPolicyID: "ap", ServiceHostingCosts: map[string]int{"s1": 1},
			ServiceConfigs: map[string]map[string]string{"s1": {"ct": "c1"}, "s2": {"ct": "c2"}}})).
		Create(identity("i2")).
		Create(with("a1", &model.Authenticator{Method: model.MethodUpdb, IdentityID: "i2", Username: "user"})).
		Create(with("e1", &model.Enrollment{Method: model.MethodOtt, IdentityID: "i2", Token: "tok", ExpiresAt: noon})).
		Create(terminator("t1", "s1", "r1")).
		Create(servicePolicy("p1", []string{"@i2", "#x"}, []string{"@s1"})).
		Create(with("p2", &model.EdgeRouterPolicy{Name: "p2", Semantic: model.AnyOf, IdentityRoles: []string{"@i2"}, EdgeRouterRoles: []string{"@r1"}})))
	return w
}

func (w *world) damages() map[string][]string {
	out := map[string][]string{}
	for d := range w.View().Damages() {
		out[string(d.Kind)+" "+d.ID] = d.Descriptions
	}
	return out
}

func TestASoundStateHasNoDamages(t *testing.T) {
	if got := sound(t).damages(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestDamagesAreFoundAndMended(t *testing.T) {
	tests := []struct {
		name   string
		gone   []string
		rename map[string]string
		want   []string // damaged entities
		after  func(v *View) bool
	}{
		{"identity", []string{"identity i2"}, nil, []string{"authenticator a1", "enrollment e1", "servicePolicy p1", "edgeRouterPolicy p2"},
			func(v *View) bool {
				return Get[model.Authenticator](v, "a1") == nil && len(Get[model.ServicePolicy](v, "p1").IdentityRoles) == 1
			}},
		{"service", []string{"service s1"}, nil, []string{"terminator t1", "servicePolicy p1", "identity i1"},
			func(v *View) bool {
				i := Get[model.Identity](v, "i1")
				return Get[model.Terminator](v, "t1") == nil && len(i.ServiceHostingCosts) == 0 && len(i.ServiceConfigs) == 1
			}},
		{"config", []string{"config c1"}, nil, []string{"service s1", "identity i1"},
			func(v *View) bool { return len(Get[model.Service](v, "s1").Configs) == 0 }},
		{"config type", []string{"configType ct"}, nil, []string{"config c1", "config c2"},
			func(v *View) bool {
				return v.Get(model.KindConfig, "c1") == nil && len(Get[model.Service](v, "s1").Configs) == 0
			}},
		{"auth policy", []string{"authPolicy ap"}, nil, []string{"identity i1"},
			func(v *View) bool { return Get[model.Identity](v, "i1").AuthPolicyID == model.DefaultAuthPolicyID }},
		{"router", []string{"edgeRouter r1"}, nil, []string{"terminator t1", "edgeRouterPolicy p2", "edgeRouterPolicy r1", "identity r1"},
			func(v *View) bool {
				return v.Get(model.KindIdentity, "r1") == nil && v.Get(model.KindEdgeRouterPolicy, "r1") == nil
			}},
		{"companions", []string{"identity r1", "edgeRouterPolicy r1"}, nil, []string{"edgeRouter r1"},
			func(v *View) bool {
				return v.Get(model.KindIdentity, "r1") != nil && v.Get(model.KindEdgeRouterPolicy, "r1") != nil
			}},
		{"two of one name", nil, map[string]string{"s2": "s1"}, []string{"service s2"},
			func(v *View) bool {
				return Get[model.Service](v, "s2").Name == "s1-s2" && FirstBy[model.Service](v, ByName, "s1").ID == "s1"
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := sound(t)
			gone := map[string]bool{}
			for _, g := range tt.gone {
				gone[g] = true
			}
			w.damage(gone, tt.rename)
			got := w.damages()
			for _, want := range tt.want {
				if got[want] == nil {
					t.Errorf("%s is not reported", want)
				}
				delete(got, want)
			}
			if len(got) > 0 {
				t.Errorf("reported, too: %v", got)
			}
			c := w.command().AsSystem().Each()
			for d := range w.View().Damages() {
				if !d.Mend(c) {
					t.Errorf("%s %s cannot be mended", d.Kind, d.ID)
				}
			}
			for i, err := range w.apply(c).(Errors) {
				if err != nil {
					t.Errorf("%s %s: %v", c.Ops[i].Kind, c.Ops[i].ID, err)
				}
			}
			if got := w.damages(); len(got) > 0 {
				t.Errorf("still there: %v", got)
			}
			if !tt.after(w.View()) {
				t.Error("mended otherwise than expected")
			}
		})
	}
}
