package http

import (
	"bytes"
	"errors"
	"net/url"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/declare"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

const (
	plansAtOnce = 2 // declarations that are being compared or exported; others wait
	planTries   = 5 // times that a plan is made because the state has changed meanwhile
)

// declarations serves what reads and writes entities by declarations.
type declarations struct {
	s        *Server
	kinds    map[*declare.Section]declared
	single   map[string]*endpoint // the operations for one entity, by id
	planning *semaphore.Weighted
}

func (s *Server) declarationHandlers(h handlers) {
	d := &declarations{s: s, single: map[string]*endpoint{}, planning: semaphore.NewWeighted(plansAtOnce), kinds: map[*declare.Section]declared{}}
	byOp := map[string]declared{
		"ConfigType": s.configTypes, "Config": s.configs, "Service": s.services, "Ca": s.cas, "ExternalJwtSigner": s.signers,
		"AuthPolicy": s.authPolicies, "PostureCheck": s.postureChecks, "EdgeRouter": s.edgeRouters, "TransitRouter": s.routers,
		"Identity": s.identities, "ServicePolicy": s.servicePolicies, "EdgeRouterPolicy": s.edgeRouterPolicies,
		"ServiceEdgeRouterPolicy": s.serviceEdgeRouterPolicies, "Terminator": s.terminators,
	}
	for _, section := range declare.Sections() {
		d.kinds[section] = byOp[section.Op]
	}
	for _, op := range api.Of(api.Management) {
		e := &endpoint{op: &op, needs: [2]string{op.Access.Entity, op.Access.Entity + "." + op.Access.Action}}
		if op.Body != nil {
			e.check = api.NewValidator(op.Body)
		}
		d.single[op.ID] = e
	}
	s.declaring = d
	h["exportModel"], h["diffDeclaration"], h["applyDeclaration"], h["exposeService"] = d.export, d.diff, d.apply, d.expose
}

// operation returns the operation that does an action with one entity.
func (d *declarations) operation(s *declare.Section, action string) *endpoint {
	verb := map[string]string{declare.Show: "detail", declare.Create: "create", declare.Update: "patch", declare.Delete: "delete"}[action]
	return d.single[verb+s.Op]
}

// declarer holds the rules of the single operations, for one caller. With look alone,
// nothing will be written, and to look is enough.
type declarer struct {
	*declarations
	c    *call
	look bool
}

// Permit asks the table of operations.
func (r declarer) Permit(s *declare.Section, action string) error {
	if r.look {
		action = declare.Show
	}
	ep := r.operation(s, action)
	if err := ep.permitted(r.c.caller); err != nil {
		return fault.Unauthorized.Errorf("to %s %s needs the permission %s", action, s.Name, ep.needs[1])
	}
	return nil
}

// Create makes the operations of a create.
func (r declarer) Create(v *state.View, s *declare.Section, e model.Entity, actions map[string]any) ([]state.Op, error) {
	r.c.state = v
	return r.kinds[s].createOps(r.caller(), e, actions, r.operation(s, declare.Create))
}

// Change makes the operations of a patch.
func (r declarer) Change(v *state.View, s *declare.Section, old model.Entity, fields map[string]any) ([]state.Op, error) {
	r.c.state = v
	return r.kinds[s].changeOps(r.caller(), old, fields, r.operation(s, declare.Update))
}

// Delete makes the operations of a delete.
func (r declarer) Delete(v *state.View, s *declare.Section, old model.Entity) ([]state.Op, error) {
	r.c.state = v
	return r.kinds[s].deleteOps(r.caller(), old)
}

// caller returns the call by which rules of entities judge. Somebody who only
// looks is not held up by what only some may write.
func (r declarer) caller() *call {
	if !r.look {
		return r.c
	}
	as := *r.c.caller
	as.Admin = true
	c := &call{s: r.c.s, w: r.c.w, r: r.c.r, ctx: r.c.ctx, ep: r.c.ep, api: r.c.api, caller: &as, state: r.c.state, policy: r.c.policy}
	return c
}

// scope reads the parameters that all these operations share.
func (c *call) scope() (q url.Values, sections []*declare.Section, selector declare.Selector, err error) {
	q = c.r.URL.Query()
	for _, name := range splitCommas(q["kind"]) {
		s := declare.SectionOf(name)
		if s == nil {
			var names []string
			for _, s := range declare.Sections() {
				names = append(names, s.Name)
			}
			return nil, nil, nil, fault.CouldNotValidate.Field("kind", "kind in query should be one of ["+strings.Join(names, " ")+"]", name)
		}
		sections = append(sections, s)
	}
	// One that is given and empty, such as an unset variable of a script, would
	// mean all, also to a prune.
	if q.Has("selector") && q.Get("selector") == "" {
		return nil, nil, nil, fault.CouldNotValidate.Field("selector", "selector in query is empty", "").
			WithRemedy("name the tag, key=value, or leave the parameter away if all entities are meant")
	}
	if q.Has("kind") && sections == nil {
		return nil, nil, nil, fault.CouldNotValidate.Field("kind", "kind in query is empty", "").
			WithRemedy("name a kind, or leave the parameter away")
	}
	selector, err = declare.ParseSelector(q.Get("selector"))
	return q, sections, selector, err
}

// export handles GET /export: of what the caller may read, or may name.
func (d *declarations) export(c *call) error {
	q, sections, selector, err := c.scope()
	if err != nil {
		return err
	}
	o := declare.ExportOptions{Selector: selector}
	if o.System, err = boolParam(q["system"], "system"); err != nil {
		return err
	}
	switch format := q.Get("format"); format {
	case "", "yaml":
	case "json":
		o.JSON = true
	default:
		return fault.CouldNotValidate.Field("format", "format in query should be one of [yaml json]", format)
	}
	r := declarer{d, c, true}
	filters := map[*declare.Section]func(model.Entity) bool{}
	for _, s := range orAll(sections) {
		if err := r.Permit(s, declare.Show); err != nil {
			if sections != nil {
				return err
			}
			continue
		}
		o.Sections = append(o.Sections, s)
		if text := q.Get("filter"); text != "" {
			if filters[s], err = d.kinds[s].filter(c, text); err != nil {
				return err
			}
		}
	}
	if err := d.planning.Acquire(c.ctx, 1); err != nil {
		return err
	}
	defer d.planning.Release(1)
	o.Keep = func(s *declare.Section, e model.Entity) bool { return filters[s] == nil || filters[s](e) }
	if o.Sections == nil {
		o.Sections = []*declare.Section{}
	}
	var out bytes.Buffer
	if err := declare.Export(&out, c.state, o); err != nil {
		return err
	}
	if err := c.tooMuch(); err != nil {
		return err
	}
	c.w.Header()["Content-Type"] = []string{"application/yaml"}
	if o.JSON {
		c.w.Header()["Content-Type"] = []string{jsonType}
	}
	c.out = append(c.out[:0], out.Bytes()...)
	c.send(200)
	return nil
}

func orAll(sections []*declare.Section) []*declare.Section {
	if sections == nil {
		return declare.Sections()
	}
	return sections
}

func (d *declarations) diff(c *call) error { return d.declared(c, true, true) }

func (d *declarations) apply(c *call) error {
	dry, err := boolParam(c.r.URL.Query()["dryRun"], "dryRun")
	if err != nil {
		return err
	}
	return d.declared(c, false, dry)
}

// declared handles a declaration: look is to show what would be done to those
// who may read, dry to try with the rights of those who may write.
func (d *declarations) declared(c *call, look, dry bool) error {
	q, sections, selector, err := c.scope()
	if err != nil {
		return err
	}
	o := declare.Options{Scope: sections, Selector: selector}
	if o.Prune, err = boolParam(q["prune"], "prune"); err != nil {
		return err
	}
	if err := d.planning.Acquire(c.ctx, 1); err != nil {
		return err
	}
	defer d.planning.Release(1)
	doc, err := declare.Read(c.files(q.Get("name")))
	if err != nil {
		return err
	}
	return d.carryOut(c, doc, o, look, dry)
}

// files returns the declaration that the body is, or holds. A body of no type
// that has files is taken for JSON.
func (c *call) files(name string) []declare.File {
	body, _ := c.body.(*api.Declaration)
	if c.r.Header.Get("Content-Type") == "" && bytes.HasPrefix(bytes.TrimSpace(c.raw), []byte("{")) {
		if in, err := c.ep.parse(c.raw); err == nil {
			body, _ = in.(*api.Declaration)
		}
	}
	if body == nil || body.Files == nil {
		if name == "" {
			name = "body"
		}
		return []declare.File{{Name: name, Text: string(c.raw)}}
	}
	var out []declare.File
	for _, f := range body.Files {
		out = append(out, declare.File{Name: f.Name, Text: *f.Text})
	}
	return out
}

// carryOut plans and, unless it is only to look, writes. When somebody else has
// changed what the plan rests on, it is made anew.
func (d *declarations) carryOut(c *call, doc *declare.Document, o declare.Options, look, dry bool) error {
	o.Caller = c.caller.IdentityID
	for try := 1; ; try++ {
		c.state = d.s.cfg.State()
		view := c.state
		o.Command = c.command()
		plan, err := declare.Make(view, doc, o, declarer{d, c, look})
		c.state = view
		if err != nil {
			return err
		}
		if dry || len(plan.Command.Ops) == 0 {
			return c.report(plan, false)
		}
		err = c.propose(plan.Command)
		if err == nil {
			return c.report(plan, true)
		}
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind.Status >= 500 || d.s.cfg.State().Index() == view.Index() {
			return err
		}
		if try == planTries {
			return fault.ChangedMeanwhile.New(refusal)
		}
	}
}

// report answers with what a plan does.
func (c *call) report(p *declare.Plan, applied bool) error {
	out := api.DeclarationReport{Applied: applied, Entities: make([]api.DeclaredEntity, 0, len(p.Changes))}
	for _, ch := range p.Changes {
		e := api.DeclaredEntity{Action: ch.Action, Kind: ch.Section.Name, Name: ch.Name, ID: ch.ID, Enrollment: ch.Enrollment,
			File: ch.File, Line: ch.Line, Members: []api.DeclaredMember{}}
		switch ch.Action {
		case declare.Create:
			out.Created++
			if !applied {
				e.ID = "" // another one is chosen when it is made
			}
		case declare.Update:
			out.Updated++
		case declare.Delete:
			out.Deleted++
		default:
			out.Unchanged++
		}
		for _, m := range ch.Members {
			e.Members = append(e.Members, api.DeclaredMember{Member: m.Name, Before: api.Raw(m.Before), After: api.Raw(m.After)})
		}
		out.Entities = append(out.Entities, e)
	}
	return c.detail(&out)
}

// expose handles POST /expose.
func (d *declarations) expose(c *call) error {
	dry, err := boolParam(c.r.URL.Query()["dryRun"], "dryRun")
	if err != nil {
		return err
	}
	in := c.body.(*api.ExposeInput)
	x := declare.Exposure{Name: *in.Name, To: in.To, Hosts: append(in.Host, in.Bind...), Routers: in.Router, As: in.As, Dial: in.Dial,
		Attributes: in.Attrs, Plain: in.Plain != nil && *in.Plain}
	doc := new(declare.Document)
	if in.Remove == nil || !*in.Remove {
		if doc, err = x.Document(); err != nil {
			return err
		}
	} else if !exposed(c, x.Name) {
		return fault.NotFound.Errorf("nothing is exposed by the name %s", x.Name)
	}
	return d.carryOut(c, doc, declare.Options{Prune: true, Selector: x.Selector()}, false, dry)
}

// exposed reports whether a service was exposed by the name.
func exposed(c *call, name string) bool {
	e := state.FirstBy[model.Service](c.state, state.ByName, name)
	return e != nil && e.Tags[declare.TagExposed] == name
}
