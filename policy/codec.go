package policy

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/weftnet/weft/model/role"
)

// The compact form of an entity: a byte of flags, then its members in order;
// numbers as unsigned varints, texts with their length before them, lists with
// their count. The id is not part of it.

const (
	flagDisabled    = 1 << 0 // identity, router
	flagAdmin       = 1 << 1 // identity
	flagEncryption  = 1 << 0 // service
	flagNoTraversal = 1 << 1 // router
	flagBind        = 1 << 0 // service policy
	flagAnyOf       = 1 << 1 // policies
	flagAllLeft     = 1 << 2 // policies: #all on the left
	flagAllRight    = 1 << 3 // policies: #all on the right
	flagPosture     = 1 << 4 // service policy: roles of posture checks follow
	flagAllPosture  = 1 << 5 // service policy: #all of them
)

// Kind returns KindIdentity.
func (e *Identity) Kind() Kind { return KindIdentity }

// Key returns the id.
func (e *Identity) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *Identity) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, flag(e.Disabled, flagDisabled)|flag(e.Admin, flagAdmin))
	return appendTexts(appendText(b, e.Name), e.Attributes), nil
}

// Kind returns KindService.
func (e *Service) Kind() Kind { return KindService }

// Key returns the id.
func (e *Service) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *Service) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, flag(e.EncryptionRequired, flagEncryption))
	b = appendTexts(appendText(b, e.Name), e.Attributes)
	return binary.AppendUvarint(b, uint64(max(0, e.MaxIdle.Milliseconds()))), nil
}

// Kind returns KindRouter.
func (e *Router) Kind() Kind { return KindRouter }

// Key returns the id.
func (e *Router) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *Router) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, flag(e.Disabled, flagDisabled)|flag(e.NoTraversal, flagNoTraversal))
	b = appendTexts(appendText(b, e.Name), e.Attributes)
	return binary.AppendUvarint(appendText(b, e.Fingerprint), uint64(e.Cost)), nil
}

// Kind returns KindServicePolicy.
func (e *ServicePolicy) Kind() Kind { return KindServicePolicy }

// Key returns the id.
func (e *ServicePolicy) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *ServicePolicy) AppendBinary(b []byte) ([]byte, error) {
	flags := flag(e.Action == Bind, flagBind)
	if e.PostureChecks.Empty() {
		return appendPolicy(b, e.Name, flags, e.Semantic, e.Identities, e.Services), nil
	}
	flags |= flagPosture | flag(e.PostureChecks.All, flagAllPosture)
	b = appendPolicy(b, e.Name, flags, e.Semantic, e.Identities, e.Services)
	return appendTexts(appendTexts(b, e.PostureChecks.IDs), e.PostureChecks.Attributes), nil
}

// Kind returns KindEdgeRouterPolicy.
func (e *EdgeRouterPolicy) Kind() Kind { return KindEdgeRouterPolicy }

// Key returns the id.
func (e *EdgeRouterPolicy) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *EdgeRouterPolicy) AppendBinary(b []byte) ([]byte, error) {
	return appendPolicy(b, e.Name, 0, e.Semantic, e.Identities, e.Routers), nil
}

// Kind returns KindServiceEdgeRouterPolicy.
func (e *ServiceEdgeRouterPolicy) Kind() Kind { return KindServiceEdgeRouterPolicy }

// Key returns the id.
func (e *ServiceEdgeRouterPolicy) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *ServiceEdgeRouterPolicy) AppendBinary(b []byte) ([]byte, error) {
	return appendPolicy(b, e.Name, 0, e.Semantic, e.Services, e.Routers), nil
}

// Kind returns KindPostureCheck.
func (e *PostureCheck) Kind() Kind { return KindPostureCheck }

// Key returns the id.
func (e *PostureCheck) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *PostureCheck) AppendBinary(b []byte) ([]byte, error) {
	return appendTexts(appendText(append(b, 0), e.Name), e.Attributes), nil
}

// Decode reads the compact form of an entity. The id comes from outside. Bytes
// beyond the members known here are ignored, so that members can be added.
func Decode(kind Kind, id string, b []byte) (Entity, error) {
	r := reader{rest: b}
	flags := r.byte()
	name := r.text()
	var e Entity
	switch kind {
	case KindIdentity:
		e = &Identity{ID: id, Name: name, Disabled: flags&flagDisabled != 0, Admin: flags&flagAdmin != 0,
			Attributes: r.texts()}
	case KindService:
		e = &Service{ID: id, Name: name, EncryptionRequired: flags&flagEncryption != 0, Attributes: r.texts(),
			MaxIdle: time.Duration(r.number(math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond}
	case KindRouter:
		e = &Router{ID: id, Name: name, Disabled: flags&flagDisabled != 0, NoTraversal: flags&flagNoTraversal != 0,
			Attributes: r.texts(), Fingerprint: r.text(), Cost: uint16(r.number(math.MaxUint16))}
	case KindServicePolicy:
		p := &ServicePolicy{ID: id, Name: name, Semantic: semantic(flags)}
		if flags&flagBind != 0 {
			p.Action = Bind
		}
		p.Identities, p.Services = r.set(flags&flagAllLeft), r.set(flags&flagAllRight)
		if flags&flagPosture != 0 {
			p.PostureChecks = r.set(flags & flagAllPosture)
		}
		e = p
	case KindEdgeRouterPolicy:
		e = &EdgeRouterPolicy{ID: id, Name: name, Semantic: semantic(flags),
			Identities: r.set(flags & flagAllLeft), Routers: r.set(flags & flagAllRight)}
	case KindServiceEdgeRouterPolicy:
		e = &ServiceEdgeRouterPolicy{ID: id, Name: name, Semantic: semantic(flags),
			Services: r.set(flags & flagAllLeft), Routers: r.set(flags & flagAllRight)}
	case KindPostureCheck:
		e = &PostureCheck{ID: id, Name: name, Attributes: r.texts()}
	default:
		return nil, fmt.Errorf("policy: unknown kind %d of slice item %q", kind, id)
	}
	if r.failed {
		return nil, fmt.Errorf("policy: truncated slice item of kind %d, id %q", kind, id)
	}
	return e, nil
}

func appendPolicy(b []byte, name string, flags byte, sem role.Semantic, left, right role.Set) []byte {
	b = append(b, flags|flag(sem == role.AnyOf, flagAnyOf)|flag(left.All, flagAllLeft)|flag(right.All, flagAllRight))
	b = appendText(b, name)
	b = appendTexts(appendTexts(b, left.IDs), left.Attributes)
	return appendTexts(appendTexts(b, right.IDs), right.Attributes)
}

func semantic(flags byte) role.Semantic {
	if flags&flagAnyOf != 0 {
		return role.AnyOf
	}
	return role.AllOf
}

func flag(on bool, f byte) byte {
	if on {
		return f
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, s := range texts {
		b = appendText(b, s)
	}
	return b
}
