package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
)

// makeService makes the service and its policies, as far as they are not there.
func (v *traffic) makeService(ctx context.Context) (string, error) {
	attribute := "#" + v.name.service
	if err := v.ensure(ctx, "services", v.name.service, func() (*client.Created, error) {
		return v.m.CreateService(ctx, &client.ServiceInput{Name: &v.name.service, EncryptionRequired: client.Ptr(true), RoleAttributes: []string{v.name.service}})
	}); err != nil {
		return "", err
	}
	for _, p := range []struct{ name, kind, attribute string }{
		{v.name.bind, "Bind", attribute + ".binders"}, {v.name.dial, "Dial", attribute + ".dialers"},
	} {
		if err := v.ensure(ctx, "service-policies", p.name, func() (*client.Created, error) {
			return v.m.CreateServicePolicy(ctx, &client.ServicePolicyInput{Name: &p.name, Type: &p.kind, Semantic: client.Ptr("AllOf"),
				IdentityRoles: []string{p.attribute}, ServiceRoles: []string{attribute}})
		}); err != nil {
			return "", err
		}
	}
	return strings.Join([]string{v.name.service, v.name.bind, v.name.dial}, ", "), nil
}

// ensure makes an entity if there is none of the name.
func (v *traffic) ensure(ctx context.Context, many, name string, create func() (*client.Created, error)) error {
	id, err := v.lookUp(ctx, many, name)
	if err != nil {
		return err
	}
	if id == "" {
		created, err := create()
		if err != nil {
			return err
		}
		id = created.ID
		v.made = append(v.made, madeEntity{many, name, id})
	}
	v.id[name] = id
	return nil
}

// lookUp returns the id of an entity by its name, empty if there is none, or if
// a dry run would have removed it.
func (v *traffic) lookUp(ctx context.Context, many, name string) (string, error) {
	if v.gone[name] {
		return "", nil
	}
	text, err := quote(name)
	if err != nil {
		return "", err
	}
	page, err := pageOf[object](ctx, v.m, managementBase+"/"+many, &client.ListParams{Filter: "name=" + text}, nil)
	if err != nil || len(page.Items) == 0 {
		return "", err
	}
	return page.Items[0].text("id"), nil
}

// makeIdentities makes the identities of this side. Their tokens are used at
// once, so that one that is there already is of no use.
func (v *traffic) makeIdentities(ctx context.Context, names []string) (string, error) {
	for _, name := range names {
		role := v.name.service + ".dialers"
		if name == v.name.server {
			role = v.name.service + ".binders"
		}
		before := len(v.made)
		if err := v.ensure(ctx, "identities", name, func() (*client.Created, error) {
			return v.m.CreateIdentity(ctx, &client.IdentityInput{Name: &name, Type: client.Ptr("Default"), IsAdmin: client.Ptr(false),
				RoleAttributes: []string{role}, Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)}})
		}); err != nil {
			return "", err
		}
		if len(v.made) == before {
			return "", &failure{code: "LEFT_FROM_BEFORE", cause: fmt.Sprintf("there is an identity %s already, of an earlier run or of one at work", name),
				remedy: "repeat it with --cleanup, or choose another --prefix", exit: ExitRefused}
		}
	}
	return strings.Join(names, ", "), nil
}

// enrolled makes a client of an identity that was made.
func (v *traffic) enrolled(ctx context.Context, name string) (*sdk.Client, error) {
	d, err := v.m.DetailIdentity(ctx, v.id[name])
	if err != nil {
		return nil, err
	}
	if d.Enrollment.Ott == nil {
		return nil, &failure{code: "NO_ENROLLMENT", cause: "the identity " + name + " has no enrollment token", remedy: "repeat it with --cleanup", exit: ExitRefused}
	}
	id, err := sdk.Enroll(ctx, d.Enrollment.Ott.JWT, sdk.EnrollOptions{})
	if err != nil {
		return nil, err
	}
	return sdk.New(id, sdk.Options{AppID: "weft-verify-traffic"})
}

// takeLeft removes what runs of the same prefix have left.
func (v *traffic) takeLeft(ctx context.Context) (string, error) {
	var removed []string
	for _, e := range []madeEntity{{many: "identities", name: v.name.client}, {many: "service-policies", name: v.name.dial},
		{many: "service-policies", name: v.name.bind}, {many: "services", name: v.name.service}, {many: "identities", name: v.name.server}} {
		if v.mode == modeClient && e.name != v.name.client { // the rest is of the server at work
			continue
		}
		id, err := v.lookUp(ctx, e.many, e.name)
		if err != nil {
			return "", err
		}
		if id == "" {
			continue
		}
		e.id = id
		if err := v.removeEntity(ctx, e); err != nil {
			return "", err
		}
		removed, v.gone[e.name] = append(removed, e.name), v.dry()
	}
	return oneOf(removed), nil
}

// takeAway removes what was made, the last first, also after an interruption.
func (v *traffic) takeAway(context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context), 30*time.Second)
	defer cancel()
	var removed []string
	var failed error
	for i := len(v.made) - 1; i >= 0; i-- {
		e := v.made[i]
		if err := v.removeEntity(ctx, e); err != nil {
			failed = &failure{code: "LEFT_BEHIND", cause: fmt.Sprintf("%s %s was not removed: %s", e.many, e.name, explain(err).cause),
				remedy: "weft ops verify traffic --cleanup --prefix " + v.prefix, exit: ExitFailure, err: err}
			continue
		}
		removed = append(removed, e.name)
	}
	return oneOf(removed), failed
}

// removeEntity removes an entity; one that is gone is as good.
func (v *traffic) removeEntity(ctx context.Context, e madeEntity) error {
	_, err := v.m.Any().Send(ctx, "DELETE", managementBase+"/"+e.many+"/"+client.Segment(e.id), nil, nil)
	if err != nil && explain(err).exit == ExitNotFound {
		return nil
	}
	return err
}
