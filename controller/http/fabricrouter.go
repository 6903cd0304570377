package http

import (
	"regexp"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type fabricRouterEntity = entity[model.EdgeRouter, api.FabricRouter, *model.EdgeRouter]

var (
	fingerprintForm = regexp.MustCompile(`^[0-9a-f]{40}$`)
	idForm          = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
)

// fabricRouterEntity declares the routers of the fabric API: all of them, and
// all can be changed there, as far as they have no edge parts.
func (s *Server) fabricRouterEntity() *fabricRouterEntity {
	connected := func(c *call, e *model.EdgeRouter) bool { return c.s.cfg.Live.Router(e.ID).Online }
	x := newEntity[model.EdgeRouter, api.FabricRouter](s.links.fabricRouter, shapeFabricRouter)
	x.table = newTable(func(e *model.EdgeRouter) map[string]any { return e.Tags },
		append(without(x.table.columns, "isVerified", "isTunnelerEnabled", "roleAttributes"), flag("connected", connected))...)
	x.indexes["fingerprint"] = state.ByFingerprint
	x.before = beforeFabricRouter
	return x
}

// beforeFabricRouter takes the id and the certificate that the caller chose. A
// new router without a certificate gets an enrollment.
func beforeFabricRouter(w *change[model.EdgeRouter]) error {
	in, _ := w.in.(*api.FabricRouterInput)
	if in == nil {
		return nil
	}
	print, err := fingerprintOf(in)
	if err != nil {
		return err
	}
	if w.mode == api.Create {
		if !idForm.MatchString(*in.ID) || strings.Trim(*in.ID, ".") == "" {
			return fault.CouldNotValidate.Field("id", "an id has 1 to 64 letters, digits, dots, hyphens and underscores", *in.ID)
		}
		w.e.ID, w.e.IsTransit = *in.ID, true
		if w.e.Fingerprint = print; print != "" {
			w.e.IsVerified = true
			return nil
		}
		return enrollRouter(w, model.MethodTrott)
	}
	if in.Fingerprint != nil && print != w.old.Fingerprint {
		w.fields["fingerprint"], w.fields["isVerified"], w.fields["certPem"] = print, print != "", ""
	}
	return nil
}

// fingerprintOf returns the fingerprint of a body in the form in which it is
// stored.
func fingerprintOf(in *api.FabricRouterInput) (string, error) {
	if in.Fingerprint == nil || *in.Fingerprint == "" {
		return "", nil
	}
	print := strings.ToLower(strings.ReplaceAll(*in.Fingerprint, ":", ""))
	if !fingerprintForm.MatchString(print) {
		return "", fault.CouldNotValidate.Field("fingerprint", "a fingerprint is the SHA-1 of a certificate, 40 hexadecimal digits", *in.Fingerprint)
	}
	return print, nil
}

func shapeFabricRouter(c *call, d *api.FabricRouter, e *model.EdgeRouter) {
	base(&d.Base, &e.Base, c.s.links.fabricRouter)
	d.IsSystem = e.IsSystem
	live := c.routerStatus(e.ID)
	d.Connected, d.Quiesced, d.ListenerAddresses = live.Online, live.Quiesced, live.LinkListeners
	d.Interfaces = live.interfaces(e)
	if live.Online {
		d.VersionInfo = &live.Version
	}
	d.Cost, d.CtrlChanListeners, d.Disabled = e.Cost, e.CtrlChanListeners, e.Disabled
	d.Fingerprint, d.Name, d.NoTraversal = optional(e.Fingerprint), e.Name, e.NoTraversal
}

// interfaces are those that the router last reported, else the stored ones.
func (r *RouterStatus) interfaces(e *model.EdgeRouter) []api.Interface {
	if len(r.Interfaces) > 0 {
		return interfaces(r.Interfaces)
	}
	return interfaces(e.Interfaces)
}
