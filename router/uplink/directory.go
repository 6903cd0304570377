package uplink

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
)

// Directory is the router's copy of what it needs of the network. It answers
// without a controller. All methods are safe for concurrent use.
type Directory struct {
	now      func() time.Time
	engine   *policy.Engine
	keys     *token.Keyring
	verifier *token.Verifier
	trust    atomic.Pointer[trust]

	applying sync.Mutex // one change at a time

	mu          sync.RWMutex
	slice       *control.Slice
	revocations map[string]*ctrl.Revocation // by the id of what they end
	dirty       bool                        // changed since the last save
	news        chan struct{}               // closed when the slice changes
	filled      bool
}

// trust holds the authorities of clients.
type trust struct {
	own    *pki.Bundle // of the network
	others []*pki.Bundle
}

// Errors of sessions; match them with errors.Is.
var (
	ErrSessionUnknown = errors.New("invalid api session")
	ErrSessionEnded   = errors.New("the api session has ended")
	ErrNoIdentity     = errors.New("the identity does not exist or is disabled")
	ErrServiceEnded   = errors.New("the service session has ended")
)

func newDirectory(now func() time.Time) *Directory {
	keys := token.NewKeyring()
	d := &Directory{
		now: now, engine: policy.New(), keys: keys,
		verifier:    token.NewVerifier(keys, token.DefaultCacheSize),
		slice:       control.NewSlice(),
		revocations: make(map[string]*ctrl.Revocation),
		news:        make(chan struct{}),
	}
	d.trust.Store(&trust{own: pki.NewBundle()})
	return d
}

// View returns the policies as they are now.
func (d *Directory) View() *policy.View { return d.engine.View() }

// Filled reports whether there is a slice, from a controller or from disk.
func (d *Directory) Filled() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.filled
}

// Changed is closed at the next change of the slice.
func (d *Directory) Changed() <-chan struct{} {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.news
}

// VerifyClient is a check for tls.Config.VerifyConnection of listeners for
// SDKs: the leaf must chain to an authority of the network or to one that the
// network trusts; its expiry is judged with the session.
func (d *Directory) VerifyClient(s tls.ConnectionState) error {
	_, err := d.chainOf(s.PeerCertificates)
	return err
}

// chainOf verifies certificates and reports whether they come from the
// network's own authorities.
func (d *Directory) chainOf(certs []*x509.Certificate) (own bool, err error) {
	t := d.trust.Load()
	if _, err = pki.VerifyPeer(certs, t.own, nil, d.now()); err == nil {
		return true, nil
	}
	for _, b := range t.others {
		if _, e := pki.VerifyPeer(certs, b, t.own, d.now()); e == nil {
			return false, nil
		}
	}
	return false, err
}

// Session verifies the token of an API session and that certs, leaf first,
// belong to it. Errors: ErrSessionUnknown, ErrSessionEnded, ErrNoIdentity and
// those of pki.Binding. A session that began with outstanding factors passes:
// its token stays the same when they are given, and without them it gets no
// service session, without which there is nothing that it could do.
func (d *Directory) Session(text string, certs []*x509.Certificate) (token.Session, error) {
	s, err := d.verifier.Session(text)
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrSessionUnknown, err)
	}
	if err := d.AliveSession(s.ID, s.IdentityID, s.IssuedAt); err != nil {
		return s, err
	}
	own, err := d.chainOf(certs)
	if err != nil {
		return s, err
	}
	binding := pki.Binding{
		IdentityID: s.IdentityID, SessionID: s.ID, AllowExpired: true,
		Fingerprints: append(d.fingerprints(s.IdentityID), s.Fingerprint),
	}
	return s, binding.Check(certs[0], own, d.now())
}

// AliveSession returns why a session that was verified is no longer good, nil
// while it is.
func (d *Directory) AliveSession(sessionID, identityID string, issuedAt time.Time) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	now := d.now().UnixMilli()
	if r := d.revocations[sessionID]; r != nil && r.ExpiresMillis > now {
		return ErrSessionEnded
	}
	if r := d.revocations[identityID]; r != nil && r.ExpiresMillis > now && covers(r, issuedAt) {
		return ErrSessionEnded
	}
	if i := d.engine.View().Identity(identityID); i == nil || i.Disabled {
		return ErrNoIdentity
	}
	return nil
}

// covers reports whether the revocation of an identity ends a session: one that
// began at its cut or before, every one if it has none.
func covers(r *ctrl.Revocation, issuedAt time.Time) bool {
	return r.IssuedBeforeMillis == 0 || issuedAt.UnixMilli() <= r.IssuedBeforeMillis
}

// Service verifies a service-session token. Errors: those of token.Verifier and
// ErrServiceEnded.
func (d *Directory) Service(text string) (token.Service, error) {
	s, err := d.verifier.Service(text, d.now())
	if err != nil {
		return s, err
	}
	return s, d.AliveService(s.ID)
}

// AliveService returns ErrServiceEnded for a service session that was ended,
// nil for any other, known or not.
func (d *Directory) AliveService(id string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if r := d.revocations[id]; r != nil && r.ExpiresMillis > d.now().UnixMilli() {
		return ErrServiceEnded
	}
	return nil
}

func (d *Directory) fingerprints(identityID string) []string {
	d.mu.RLock()
	data, _ := d.slice.Get(control.ItemKey{Kind: ctrl.KindFingerprints, ID: identityID})
	d.mu.RUnlock()
	return control.ParseFingerprints(data)
}

// routerByFingerprint returns the id of the router with the fingerprint, empty
// if there is none.
func (d *Directory) routerByFingerprint(fingerprint string) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, it := range d.slice.Items() {
		if it.Kind != uint32(policy.KindRouter) {
			continue
		}
		e, err := policy.Decode(policy.KindRouter, it.Id, it.Data)
		if err != nil {
			continue
		}
		if r, ok := e.(*policy.Router); ok && fingerprint != "" && r.Fingerprint == fingerprint {
			return r.ID
		}
	}
	return ""
}
