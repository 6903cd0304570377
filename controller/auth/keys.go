package auth

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// signers hold the keys that sign new tokens.
type signers struct {
	session atomic.Pointer[token.Signer]
	service atomic.Pointer[token.Signer]
}

// keyAlgorithm is the JOSE name of the only algorithm of signing keys.
const keyAlgorithm = "ES256"

// loadKeys takes the signing keys from the state and makes the missing ones. It
// returns the index of the state it has seen.
func (a *Auth) loadKeys(ctx context.Context) (uint64, error) {
	for range 3 {
		v := a.deps.Store.View()
		err := a.useKeys(v)
		if err == nil {
			return v.Index(), nil
		}
		if !errors.Is(err, errNoKey) {
			return 0, err
		}
		if err := a.makeKeys(ctx, v); err != nil {
			return 0, fmt.Errorf("auth: making the signing keys: %w", err)
		}
	}
	return 0, errors.New("auth: the signing keys that were made do not appear in the state")
}

var errNoKey = errors.New("auth: a signing key is missing")

// useKeys makes the keys of a view the current ones: all of them verify, of
// each purpose the newest that is not retired signs.
func (a *Auth) useKeys(v *state.View) error {
	var publics [][]byte
	newest := make(map[string]*model.Key)
	for k := range state.All[model.Key](v) {
		publics = append(publics, k.Public)
		n := newest[k.Purpose]
		if k.RetiredAt == nil && (n == nil || k.NotBefore.After(n.NotBefore)) {
			newest[k.Purpose] = k
		}
	}
	if err := a.keyring.Replace(publics...); err != nil {
		return err
	}
	var missing error
	for purpose, into := range map[string]*atomic.Pointer[token.Signer]{
		model.KeySession: &a.signers.session, model.KeyService: &a.signers.service,
	} {
		k := newest[purpose]
		if k == nil {
			missing = errNoKey
			continue
		}
		if old := into.Load(); old != nil && old.KeyID() == k.ID {
			continue
		}
		private, err := token.ParsePrivate(k.Private)
		if err != nil {
			return fmt.Errorf("auth: key %s: %w", k.ID, err)
		}
		s, err := token.NewSigner(private)
		if err != nil {
			return fmt.Errorf("auth: key %s: %w", k.ID, err)
		}
		into.Store(s)
	}
	return missing
}

// makeKeys proposes a key for every purpose that has none.
func (a *Auth) makeKeys(ctx context.Context, v *state.View) error {
	have := make(map[string]bool)
	for k := range state.All[model.Key](v) {
		have[k.Purpose] = have[k.Purpose] || k.RetiredAt == nil
	}
	c := a.command()
	for _, purpose := range []string{model.KeySession, model.KeyService} {
		if have[purpose] {
			continue
		}
		k, err := newKey(purpose)
		if err != nil {
			return err
		}
		k.NotBefore = a.now()
		c.Create(k)
	}
	return a.write(ctx, c)
}

func newKey(purpose string) (*model.Key, error) {
	private, err := token.NewKey()
	if err != nil {
		return nil, err
	}
	k := &model.Key{Purpose: purpose, Algorithm: keyAlgorithm}
	if k.Private, err = token.EncodePrivate(private); err != nil {
		return nil, err
	}
	if k.Public, err = token.PublicKey(private); err != nil {
		return nil, err
	}
	k.ID = token.KeyID(k.Public)
	k.IsSystem = true
	return k, nil
}

// tokenOf returns the token of a session.
func (a *Auth) tokenOf(r *record) (string, error) {
	s := a.signers.session.Load()
	if s == nil {
		return "", errNoKey
	}
	return s.Session(token.Session{
		ID: r.ID, IdentityID: r.IdentityID, IssuedAt: r.CreatedAt, Partial: r.Partial, Fingerprint: r.Fingerprint,
	})
}
