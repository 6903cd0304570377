package http

import (
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/state"
)

type postureCheckEntity = entity[model.PostureCheck, api.PostureCheck, *model.PostureCheck]

func (s *Server) postureCheckEntity() *postureCheckEntity {
	x := newEntity[model.PostureCheck, api.PostureCheck](s.links.postureCheck, shapePostureCheck)
	x.byAttribute = true
	x.indexes["roleAttributes"] = state.ByAttribute
	x.before = func(w *change[model.PostureCheck]) error {
		in := w.in.(*api.PostureCheckInput)
		if w.mode == api.Create {
			return postureMembers(in)
		}
		if w.e.TypeID = w.old.TypeID; *in.TypeID != w.old.TypeID {
			return fault.CouldNotValidate.Field("typeId", "the type of a posture check cannot be changed, it is "+w.old.TypeID, *in.TypeID)
		}
		if w.mode == api.Update {
			return postureMembers(in)
		}
		return nil
	}
	return x
}

// postureMembers refuses the body of a create or an update without the members
// that its type needs.
func postureMembers(in *api.PostureCheckInput) error {
	missing := ""
	switch *in.TypeID {
	case model.PostureOS:
		missing = unless(in.OperatingSystems != nil, "operatingSystems")
	case model.PostureDomain:
		missing = unless(in.Domains != nil, "domains")
	case model.PostureMAC:
		missing = unless(in.MacAddresses != nil, "macAddresses")
	case model.PostureProcess:
		missing = unless(in.Process != nil, "process")
	case model.PostureProcessMulti:
		if missing = unless(in.Processes != nil, "processes"); missing == "" {
			missing = unless(in.Semantic != nil, "semantic")
		}
	}
	if missing != "" {
		return fault.CouldNotValidate.Field(missing, missing+" in body is required", "<nil>")
	}
	return nil
}

// unless is name where a condition does not hold.
func unless(ok bool, name string) string {
	if ok {
		return ""
	}
	return name
}

func shapePostureCheck(c *call, d *api.PostureCheck, e *model.PostureCheck) {
	base(&d.Base, &e.Base, c.s.links.postureCheck)
	d.IsSystem, d.Name, d.TypeID, d.RoleAttributes, d.Version = e.IsSystem, e.Name, e.TypeID, e.RoleAttributes, e.Version
	d.Domains, d.MacAddresses, d.Semantic = e.Domains, e.MacAddresses, e.Semantic
	d.OperatingSystems = systems(e.OperatingSystems)
	if p := e.Process; p != nil {
		d.Process = &api.PostureProcess{Hashes: p.Hashes, OsType: p.OSType, Path: p.Path, SignerFingerprint: p.SignerFingerprint}
	}
	for _, p := range e.Processes {
		d.Processes = append(d.Processes, api.PostureAnyProcess{Hashes: p.Hashes, OsType: p.OSType, Path: p.Path, SignerFingerprints: p.SignerFingerprints})
	}
	d.TimeoutSeconds, d.PromptOnWake, d.PromptOnUnlock = e.TimeoutSeconds, e.PromptOnWake, e.PromptOnUnlock
	d.IgnoreLegacyEndpoints = e.IgnoreLegacyEndpoints
}

func systems(in []model.OperatingSystem) []api.OperatingSystem {
	var out []api.OperatingSystem
	for _, o := range in {
		out = append(out, api.OperatingSystem(o))
	}
	return out
}

// checksOf returns the ids of the posture checks that the service policy of the
// path demands.
func checksOf(c *call) []string {
	p := state.Get[model.ServicePolicy](c.state, c.id())
	if p == nil {
		return nil
	}
	return demanded(c.state, p)
}

func demanded(v *state.View, p *model.ServicePolicy) []string {
	set, err := role.Parse("postureCheckRoles", p.PostureCheckRoles)
	if err != nil || set.Empty() {
		return nil
	}
	semantic, _ := role.ParseSemantic("semantic", p.Semantic)
	var ids []string
	for e := range state.All[model.PostureCheck](v) {
		if set.Match(semantic, e.ID, e.RoleAttributes) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// postureType is a type of posture checks, which is no entity of the state.
type postureType struct {
	id, name string
	systems  []api.OperatingSystem
}

// The versions that the ecosystem's table of types has always named.
func postureTypes() []postureType {
	versions := map[string][]string{
		"Android": {"10", "11", "9"}, "Linux": {"4.14", "4.19", "5.4", "5.9"}, "Windows": {"10", "2000", "7", "8", "Vista"},
		"iOS": {"11", "12"}, "macOS": {"10.15", "11.0"},
	}
	on := func(names string) []api.OperatingSystem {
		var out []api.OperatingSystem
		for n := range strings.FieldsSeq(names) {
			out = append(out, api.OperatingSystem{Type: n, Versions: versions[n]})
		}
		return out
	}
	multi := []api.OperatingSystem{{Type: "Linux"}, {Type: "Windows"}, {Type: "macOS"}}
	return []postureType{
		{model.PostureDomain, "Windows Domain Check", on("Windows")},
		{model.PostureMAC, "MAC Address Check", on("Android Linux Windows macOS")},
		{model.PostureOS, "Operating System Check", on("Android Linux Windows iOS macOS")},
		{model.PostureProcess, "Process Check", on("Linux Windows macOS")},
		{model.PostureProcessMulti, "Process Multi Check", multi},
	}
}

// postureCheckTypes handles the list and the detail of the types. There is none
// for MFA, whose checks name no operating system.
func (s *Server) postureCheckTypes() (list, detail handler) {
	shape := func(_ *call, d *api.PostureCheckType, t *postureType) {
		base(&d.Base, &model.Base{ID: t.id, CreatedAt: s.cfg.StartedAt, UpdatedAt: s.cfg.StartedAt}, s.links.postureCheckType)
		d.Name, d.OperatingSystems = t.name, t.systems
	}
	when := func(*postureType) time.Time { return s.cfg.StartedAt }
	l := &listing[postureType, api.PostureCheckType]{shape: shape, table: newTable(nil,
		text("id", func(t *postureType) string { return t.id }), text("name", func(t *postureType) string { return t.name }),
		moment("createdAt", when), moment("updatedAt", when), flag("isSystem", func(*call, *postureType) bool { return false }), tagColumn[postureType]())}
	all := postureTypes()
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		return l.answer(c, p, source[postureType]{func(yield func(*postureType) bool) {
			for i := range all {
				if !yield(&all[i]) {
					return
				}
			}
		}, len(all)})
	}
	detail = func(c *call) error {
		i := slices.IndexFunc(all, func(t postureType) bool { return t.id == c.id() })
		if i < 0 {
			return fault.NotFound.Errorf("postureCheckType with id %s not found", c.id())
		}
		var d api.PostureCheckType
		shape(c, &d, &all[i])
		return c.detail(&d)
	}
	return list, detail
}
