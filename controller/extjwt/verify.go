package extjwt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Errors of Verify; match them with errors.Is.
var (
	ErrNoSigner = errors.New("extjwt: no enabled signer has issued the token")
	ErrExpired  = errors.New("extjwt: the token has expired")
	ErrInvalid  = errors.New("extjwt: the token is invalid")
)

// maxToken bounds the length of a token in characters.
const maxToken = 16 << 10

// Store reads the replicated state; *state.Store is one.
type Store interface{ View() *state.View }

// Fetcher gets the documents with the keys of signers; *fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, url string) ([]byte, http.Header, error)
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	store Store
	clock clock.Clock
	keys  *keys
}

// New returns a verifier that gets keys by fetch.
func New(store Store, fetch Fetcher, c clock.Clock, log *slog.Logger) *Verifier {
	return &Verifier{store: store, clock: c, keys: newKeys(fetch, c, log)}
}

// Token is a verified token.
type Token struct {
	Signer *model.ExternalJwtSigner
	Claims map[string]any
}

// algorithms are those whose keys nobody shares.
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// Verify checks a token: an enabled signer has to have issued it, which is the
// one with the id unless that is empty, for the signer's audience, with one of
// the signer's keys, and it has to have an expiry that has not come. Errors:
// ErrNoSigner, ErrExpired, ErrInvalid.
func (v *Verifier) Verify(ctx context.Context, text, signerID string) (*Token, error) {
	if len(text) > maxToken {
		return nil, fmt.Errorf("%w: it is longer than %d characters", ErrInvalid, maxToken)
	}
	parser := jwt.NewParser(jwt.WithValidMethods(algorithms), jwt.WithExpirationRequired(), jwt.WithTimeFunc(v.clock.Now), jwt.WithIssuedAt())
	unverified, _, err := parser.ParseUnverified(text, jwt.MapClaims{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	signer, err := v.signer(unverified, signerID)
	if err != nil {
		return nil, err
	}
	kid, ok := unverified.Header["kid"].(string)
	if !ok || kid == "" {
		return nil, fmt.Errorf("%w: it names no key", ErrInvalid)
	}
	key, err := v.keys.get(ctx, signer, kid)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	claims := jwt.MapClaims{}
	if _, err := parser.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		if errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid) {
			return nil, fmt.Errorf("%w: %w", ErrExpired, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if issuer, err := claims.GetIssuer(); err != nil || issuer != signer.Issuer {
		return nil, fmt.Errorf("%w: it is of another issuer", ErrInvalid)
	}
	if signer.Audience == nil || !hasAudience(claims, *signer.Audience) {
		return nil, fmt.Errorf("%w: it is for another audience", ErrInvalid)
	}
	return &Token{Signer: signer, Claims: claims}, nil
}

// signer finds the signer by the issuer that the token names, which the
// signature is going to prove.
func (v *Verifier) signer(t *jwt.Token, signerID string) (*model.ExternalJwtSigner, error) {
	issuer, err := t.Claims.GetIssuer()
	if err != nil || issuer == "" {
		return nil, ErrNoSigner
	}
	s := state.FirstBy[model.ExternalJwtSigner](v.store.View(), state.ByIssuer, issuer)
	if s == nil || !s.Enabled || signerID != "" && s.ID != signerID {
		return nil, ErrNoSigner
	}
	return s, nil
}

func hasAudience(claims jwt.MapClaims, want string) bool {
	all, err := claims.GetAudience()
	if err != nil {
		return false
	}
	for _, a := range all {
		if a == want {
			return true
		}
	}
	return false
}

// maxBearers bounds the tokens of a request that are looked at.
const maxBearers = 3

// Bearers returns the bearer tokens of a request, in the order of its headers,
// at most three.
func Bearers(h http.Header) []string {
	var out []string
	for _, line := range h.Values("Authorization") {
		scheme, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && strings.EqualFold(scheme, "bearer") && len(out) < maxBearers {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}
