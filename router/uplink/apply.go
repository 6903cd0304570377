package uplink

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// changes is what a change of the slice means for the router.
type changes struct {
	effects *policy.Effects
	ended   bool // sessions have been ended
}

// errGap says that a change does not continue the slice.
var errGap = errors.New("uplink: change of another slice")

// apply makes a complete change visible, as far as it is understood. An error
// means that the slice is not what it should be.
func (d *Directory) apply(u *control.Update) (changes, error) {
	d.applying.Lock()
	defer d.applying.Unlock()
	d.mu.Lock()
	if !u.Whole && (u.From != d.slice.Index || !d.filled) {
		from := d.slice.Index
		d.mu.Unlock()
		return changes{}, fmt.Errorf("%w: from %d, at %d", errGap, u.From, from)
	}
	items := d.replace(u)
	d.slice.Index = u.To
	fits := bytes.Equal(d.slice.Digest(), u.Digest)
	d.dirty = true
	d.mu.Unlock()
	news, err := d.enact(items)
	d.mu.Lock()
	d.filled = true // now that it can be asked
	close(d.news)
	d.news = make(chan struct{})
	d.mu.Unlock()
	if err == nil && !fits {
		err = fmt.Errorf("uplink: slice at index %d has another digest than the controller's", u.To)
	}
	return news, err
}

// replace puts the items of u into the slice and returns those that change
// anything, with the lock held.
func (d *Directory) replace(u *control.Update) []*ctrl.Item {
	var out []*ctrl.Item
	if u.Whole {
		keep := make(map[control.ItemKey]bool, len(u.Items))
		for _, it := range u.Items {
			keep[control.ItemKey{Kind: it.Kind, ID: it.Id}] = true
		}
		for _, it := range d.slice.Items() {
			key := control.ItemKey{Kind: it.Kind, ID: it.Id}
			if !keep[key] {
				d.slice.Remove(key)
				out = append(out, &ctrl.Item{Kind: it.Kind, Id: it.Id, Removed: true})
			}
		}
	}
	for _, it := range u.Items {
		key := control.ItemKey{Kind: it.Kind, ID: it.Id}
		if it.Removed && d.slice.Remove(key) || !it.Removed && d.slice.Put(key, it.Data) {
			out = append(out, it)
		}
	}
	return out
}

// enact brings engine, keys, authorities and revocations in line with items
// that changed.
func (d *Directory) enact(items []*ctrl.Item) (changes, error) {
	var (
		out         changes
		batch       []policy.Change
		keys, trust bool
		errs        []error
	)
	for _, it := range items {
		switch it.Kind {
		case ctrl.KindKey:
			keys = true
		case ctrl.KindTrust:
			trust = true
		case ctrl.KindFingerprints:
		case ctrl.KindRevocation:
			err := d.revoke(it)
			errs = append(errs, err)
			out.ended = out.ended || err == nil && !it.Removed
		default:
			if it.Kind > 0xff {
				continue // of a newer controller
			}
			c, err := policyChange(it)
			errs = append(errs, err)
			if err == nil {
				batch = append(batch, c)
			}
		}
	}
	if keys {
		errs = append(errs, d.loadKeys())
	}
	if trust {
		errs = append(errs, d.loadTrust())
	}
	if len(batch) > 0 {
		out.effects = d.engine.Apply(d.now(), batch...)
	}
	return out, errors.Join(errs...)
}

func policyChange(it *ctrl.Item) (policy.Change, error) {
	kind := policy.Kind(it.Kind)
	if it.Removed {
		return policy.Remove(kind, it.Id), nil
	}
	e, err := policy.Decode(kind, it.Id, it.Data)
	if err != nil {
		return policy.Change{}, fmt.Errorf("uplink: item %s of kind %d: %w", it.Id, it.Kind, err)
	}
	return policy.Put(e), nil
}

func (d *Directory) revoke(it *ctrl.Item) error {
	r := &ctrl.Revocation{}
	if err := proto.Unmarshal(it.Data, r); err != nil {
		return fmt.Errorf("uplink: revocation %s: %w", it.Id, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if it.Removed {
		delete(d.revocations, it.Id)
	} else {
		d.revocations[it.Id] = r
	}
	return nil
}

func (d *Directory) ofKind(kind uint32) []*ctrl.Item {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.slice.OfKind(kind)
}

func (d *Directory) loadKeys() error {
	var ders [][]byte
	for _, it := range d.ofKind(ctrl.KindKey) {
		ders = append(ders, it.Data)
	}
	return d.keys.Replace(ders...)
}

func (d *Directory) loadTrust() error {
	next := &trust{own: pki.NewBundle()}
	for _, it := range d.ofKind(ctrl.KindTrust) {
		b, err := pki.ParseBundle(it.Data)
		if err != nil {
			return fmt.Errorf("uplink: authority %s: %w", it.Id, err)
		}
		if it.Id == ctrl.TrustOwn {
			next.own = b
		} else {
			next.others = append(next.others, b)
		}
	}
	d.trust.Store(next)
	return nil
}

// publish tells the node what changed.
func (u *Uplink) publish(c changes) {
	if c.effects != nil && !c.effects.Empty() {
		u.cfg.Node.AccessChanged(c.effects)
	}
	if c.ended {
		u.cfg.Node.SessionsEnded()
	}
}

// position returns what Register says of the slice.
func (d *Directory) position() (index uint64, digest []byte) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if !d.filled {
		return 0, nil
	}
	return d.slice.Index, d.slice.Digest()
}
