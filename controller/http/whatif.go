package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Bounds of what is tried and listed.
const (
	maxWhatIf      = 1000 // changes
	listedByWhatIf = 20
)

// whatIf handles POST /what-if: it tries the changes one after the other on the
// state as it is, and compares the policies before and after.
func (s *Server) whatIf(c *call) error {
	in := c.body.(*api.WhatIf)
	if len(in.Changes) > maxWhatIf {
		return fault.CouldNotValidate.Field("changes", fmt.Sprintf("changes in body should have at most %d items", maxWhatIf), len(in.Changes))
	}
	before, next, touched := c.state, c.state, map[model.Kind][]string{}
	for i := range in.Changes {
		cmd := c.command()
		c.state = next // names of what was created before are known
		err := c.whatIfCommand(cmd, &in.Changes[i])
		if err == nil {
			next, err = next.Try(cmd)
		}
		for _, op := range cmd.Ops {
			touched[op.Kind] = append(touched[op.Kind], op.ID)
		}
		c.state = before
		if err != nil {
			return placed(fmt.Sprintf("changes.%d", i), err)
		}
	}
	if in.Declaration != nil {
		var err error
		if next, err = s.declaring.tried(c, in.Declaration, next); err != nil {
			return err
		}
		touched = nil
	}
	limit := listedByWhatIf
	if in.Limit != nil {
		limit = *in.Limit
	}
	d, err := c.consequences(next, touched, limit)
	if err != nil {
		return err
	}
	return c.detail(d)
}

// placed says which of the changes a refusal is about.
func placed(where string, err error) error {
	var field *fault.FieldError
	if !errors.As(err, &field) {
		refused := *fault.From(err)
		if refused.Kind == fault.Unhandled {
			return err
		}
		cause := error(fmt.Errorf("%s", where))
		if refused.Cause != nil {
			cause = fmt.Errorf("%s: %w", where, refused.Cause)
		}
		refused.Cause = cause
		return &refused
	}
	if strings.HasPrefix(field.Field, where) {
		return err
	}
	refused := *fault.From(err)
	refused.Cause = &fault.FieldError{Field: where + "." + field.Field, Reason: field.Reason, Value: field.Value}
	return &refused
}

// whatIfKinds are the kinds that a change may be about.
var whatIfKinds = map[string]model.Kind{
	"identity": model.KindIdentity, "service": model.KindService, "edge-router": model.KindEdgeRouter, "posture-check": model.KindPostureCheck,
	"service-policy": model.KindServicePolicy, "edge-router-policy": model.KindEdgeRouterPolicy,
	"service-edge-router-policy": model.KindServiceEdgeRouterPolicy,
}

// whatIfCommand turns one change into a command.
func (c *call) whatIfCommand(cmd *state.Command, in *api.WhatIfChange) error {
	kind, ok := whatIfKinds[in.Kind]
	if !ok {
		return fault.CouldNotValidate.Field("kind", "kind in body should be one of ["+strings.Join(sortedKeys(whatIfKinds), " ")+"]", in.Kind)
	}
	fields, err := c.whatIfFields(kind, in)
	if err != nil {
		return err
	}
	if in.Action == "create" {
		e, err := newFrom(kind, fields)
		if err != nil {
			return err
		}
		cmd.Create(e)
		return nil
	}
	old := c.state.Get(kind, in.Entity)
	if old == nil && in.Entity != "" {
		old = c.state.FirstBy(kind, state.ByName, in.Entity)
	}
	switch {
	case in.Entity == "":
		return fault.CouldNotValidate.Field("entity", "entity in body is required", "")
	case old == nil:
		return fault.NotFound.Errorf("%s with id or name %s not found", in.Kind, in.Entity)
	case in.Action == "delete":
		cmd.Delete(kind, old.Meta().ID)
	case in.Action == "update":
		cmd.Patch(kind, old.Meta().ID, fields)
	default:
		return fault.CouldNotValidate.Field("action", "action in body should be one of [create update delete]", in.Action)
	}
	return nil
}

// whatIfFields returns the members that a change sets, checked and with ids
// instead of names.
func (c *call) whatIfFields(kind model.Kind, in *api.WhatIfChange) (map[string]any, error) {
	given := map[string]any{}
	put := func(name string, v any, present bool) {
		if present {
			given[name] = v
		}
	}
	put("name", in.Name, in.Name != nil)
	put("type", in.Type, in.Type != nil)
	put("semantic", in.Semantic, in.Semantic != nil)
	put("roleAttributes", in.RoleAttributes, in.RoleAttributes != nil)
	put("disabled", in.Disabled, in.Disabled != nil)
	for _, roles := range []struct {
		name string
		of   model.Kind
		list []string
	}{
		{"identityRoles", model.KindIdentity, in.IdentityRoles}, {"serviceRoles", model.KindService, in.ServiceRoles},
		{"edgeRouterRoles", model.KindEdgeRouter, in.EdgeRouterRoles}, {"postureCheckRoles", model.KindPostureCheck, in.PostureCheckRoles},
	} {
		if roles.list == nil {
			continue
		}
		if err := checkRoles(map[string][]string{roles.name: roles.list}); err != nil {
			return nil, err
		}
		list, err := c.rolesByID(roles.name, roles.of, roles.list)
		if err != nil {
			return nil, err
		}
		put(roles.name, list, true)
	}
	if kind == model.KindIdentity && in.Disabled != nil {
		delete(given, "disabled")
		given["disabledAt"] = nil
		if *in.Disabled {
			given["disabledAt"] = c.s.cfg.Now().UTC()
		}
	}
	describes := model.Describe(kind)
	for _, name := range sortedKeys(given) {
		if describes.Field(name) == nil || name == "type" && kind != model.KindServicePolicy {
			return nil, fault.CouldNotValidate.Field(name, name+" does not belong to the kind "+in.Kind, given[name])
		}
	}
	return given, nil
}

// rolesByID replaces names in @ entries by ids.
func (c *call) rolesByID(field string, kind model.Kind, roles []string) ([]string, error) {
	out := slices.Clone(roles)
	for i, r := range roles {
		ref, ok := strings.CutPrefix(r, "@")
		if !ok || c.state.Get(kind, ref) != nil {
			continue
		}
		e := c.state.FirstBy(kind, state.ByName, ref)
		if e == nil {
			return nil, fault.CouldNotValidate.Field(field, "there is no "+string(kind)+" with the id or name "+ref, r)
		}
		out[i] = "@" + e.Meta().ID
	}
	return out, nil
}

// newFrom makes an entity with the given members and otherwise defaults.
func newFrom(kind model.Kind, fields map[string]any) (model.Entity, error) {
	e := model.New(kind)
	switch e := e.(type) {
	case *model.Identity:
		e.Type, e.AuthPolicyID = model.IdentityDefault, model.DefaultAuthPolicyID
	case *model.ServicePolicy:
		e.Type, e.Semantic = model.Dial, model.AllOf
	case *model.EdgeRouterPolicy:
		e.Semantic = model.AllOf
	case *model.ServiceEdgeRouterPolicy:
		e.Semantic = model.AllOf
	case *model.PostureCheck:
		e.TypeID = model.PostureDomain
		e.Domains = []string{"example.com"}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fault.CouldNotParseBody.New(err)
	}
	e.Meta().ID = id.New()
	return e, nil
}
