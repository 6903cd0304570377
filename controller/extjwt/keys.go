package extjwt

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
)

const (
	keysFresh  = time.Minute // keys that were fetched so recently are not fetched again
	fetchEvery = time.Second // between two fetches of one signer, whatever is asked for
	maxKeys    = 256         // of one signer
	maxSigners = 1000        // whose keys are kept
)

var (
	errUnknownKey = errors.New("it is signed with a key that the signer does not have")
	errMediaType  = errors.New("the answer is no key set")
)

// keys are the public keys of signers. Those at an address are fetched when
// they are asked for: if they are old, or one is unknown. A fetch that fails
// leaves the keys that are there; one that succeeds replaces all, so that a key
// which the signer withdraws is gone within a minute of use.
type keys struct {
	fetch  Fetcher
	clock  clock.Clock
	log    *slog.Logger
	flight singleflight.Group

	mu  sync.Mutex
	set map[string]keySet // by signer id
}

type keySet struct {
	url     string
	keys    map[string]crypto.PublicKey // by kid
	tried   time.Time
	fetched time.Time
}

func newKeys(fetch Fetcher, c clock.Clock, log *slog.Logger) *keys {
	return &keys{fetch: fetch, clock: c, log: log, set: make(map[string]keySet)}
}

// get returns a key of a signer.
func (k *keys) get(ctx context.Context, s *model.ExternalJwtSigner, kid string) (crypto.PublicKey, error) {
	if s.CertPem != nil && *s.CertPem != "" {
		return ofCertificate(s, kid)
	}
	if s.JwksEndpoint == nil || *s.JwksEndpoint == "" {
		return nil, errUnknownKey
	}
	url := *s.JwksEndpoint
	now := k.clock.Now()
	set := k.known(s.ID, url)
	if key := set.keys[kid]; key != nil && now.Sub(set.fetched) < keysFresh {
		return key, nil
	}
	if now.Sub(set.tried) >= fetchEvery {
		// One fetch at a time per signer; whoever gives up does not stop it for others.
		done := k.flight.DoChan(s.ID+" "+url, func() (any, error) {
			return nil, k.refresh(context.WithoutCancel(ctx), s, url)
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case r := <-done:
			if r.Err != nil {
				k.log.Warn("keys of an external signer could not be fetched", "signerId", s.ID, "signer", s.Name, "url", url, "error", r.Err)
			}
		}
	}
	if key := k.known(s.ID, url).keys[kid]; key != nil {
		return key, nil
	}
	return nil, errUnknownKey
}

// known returns what is kept of a signer; nothing when its address has changed.
func (k *keys) known(id, url string) keySet {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.set[id]; s.url == url {
		return s
	}
	return keySet{url: url}
}

func (k *keys) refresh(ctx context.Context, s *model.ExternalJwtSigner, url string) error {
	set := k.known(s.ID, url)
	set.tried = k.clock.Now()
	got, err := k.load(ctx, url)
	if err == nil {
		set.keys, set.fetched = got, k.clock.Now()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.set[s.ID]; !ok && len(k.set) >= maxSigners {
		for id := range k.set { // any one: it is fetched again when it is needed
			delete(k.set, id)
			break
		}
	}
	k.set[s.ID] = set
	return err
}

func (k *keys) load(ctx context.Context, url string) (map[string]crypto.PublicKey, error) {
	text, header, err := k.fetch.Get(ctx, url)
	if err != nil {
		return nil, err
	}
	if !isKeySet(header) {
		return nil, fmt.Errorf("%w: its type is %q", errMediaType, header.Get("Content-Type"))
	}
	return parseKeySet(text)
}

func isKeySet(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	switch media {
	case "application/json", "application/jwk-set+json", "application/jwk+json":
		return true
	}
	return false
}

// parseKeySet reads the keys that verify signatures; others are left out.
func parseKeySet(text []byte) (map[string]crypto.PublicKey, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%w: %w", errMediaType, err)
	}
	if len(raw.Keys) > maxKeys {
		return nil, fmt.Errorf("%w: it has more than %d keys", errMediaType, maxKeys)
	}
	out := make(map[string]crypto.PublicKey)
	for _, one := range raw.Keys {
		var key jose.JSONWebKey
		if err := json.Unmarshal(one, &key); err != nil || key.KeyID == "" || key.Use == "enc" || !key.Valid() {
			continue // of a kind that is not known here, which must not hide the others
		}
		public := key.Public()
		if len(key.Certificates) > 0 {
			public.Key = key.Certificates[0].PublicKey
		}
		if public.Key != nil { // symmetric keys have no public form
			out[key.KeyID] = public.Key
		}
	}
	return out, nil
}

// ofCertificate returns the key of a signer that has a certificate.
func ofCertificate(s *model.ExternalJwtSigner, kid string) (crypto.PublicKey, error) {
	certs, err := pki.ParseCertificates([]byte(*s.CertPem))
	if err != nil {
		return nil, err
	}
	want := pki.Fingerprint(certs[0])
	if s.Kid != nil && *s.Kid != "" {
		want = *s.Kid
	}
	if kid != want {
		return nil, errUnknownKey
	}
	return certs[0].PublicKey, nil
}
