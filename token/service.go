package token

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Audience is the aud claim of service tokens.
const Audience = "openziti"

// serviceTokenType is the z_t claim of a service token.
const serviceTokenType = "s"

// maxServiceToken bounds the length of a service token in characters.
const maxServiceToken = 4096

// ServiceTokenLife is the distance from iat to exp of a service token. The
// real limit of a service session is its API session.
const ServiceTokenLife = 365 * 24 * time.Hour

// Service is what a service-session token says.
type Service struct {
	ID           string // id of the service session, claim jti
	ServiceID    string // claim sub
	APISessionID string // claim z_asid
	IdentityID   string // claim z_iid
	Type         string // Dial or Bind, claim z_st
	Legacy       bool   // API session by zt-session, claim z_leg
	Issuer       string // https://host:port of the API, claim iss
	IssuedAt     time.Time
	ExpiresAt    time.Time
}

type serviceClaims struct {
	jwt.RegisteredClaims
	APISessionID string `json:"z_asid"`
	IdentityID   string `json:"z_iid"`
	TokenType    string `json:"z_t"`
	ServiceType  string `json:"z_st"`
	Legacy       bool   `json:"z_leg"`
}

// Service returns the JWT of a service session. ExpiresAt defaults to IssuedAt
// plus ServiceTokenLife. The same claims and key give the same text, so nobody
// has to store it.
func (s *Signer) Service(c Service) (string, error) {
	if c.ExpiresAt.IsZero() {
		c.ExpiresAt = c.IssuedAt.Add(ServiceTokenLife)
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, &serviceClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    c.Issuer,
			Subject:   c.ServiceID,
			Audience:  jwt.ClaimStrings{Audience},
			IssuedAt:  jwt.NewNumericDate(c.IssuedAt),
			ExpiresAt: jwt.NewNumericDate(c.ExpiresAt),
			ID:        c.ID,
		},
		APISessionID: c.APISessionID,
		IdentityID:   c.IdentityID,
		TokenType:    serviceTokenType,
		ServiceType:  c.Type,
		Legacy:       c.Legacy,
	})
	t.Header["kid"] = s.kid
	text, err := t.SigningString()
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	sig, err := s.sign([]byte(text))
	if err != nil {
		return "", err
	}
	return text + "." + t.EncodeSegment(sig), nil
}

// verifyService checks signature, audience and type, but not the expiry.
func verifyService(keys *Keyring, text string) (Service, error) {
	if len(text) > maxServiceToken {
		return Service{}, ErrMalformed
	}
	var claims serviceClaims
	_, err := jwt.NewParser(
		jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithoutClaimsValidation(),
	).ParseWithClaims(text, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if key := keys.key(kid); key != nil {
			return key, nil
		}
		return nil, ErrUnknownKey
	})
	switch {
	case errors.Is(err, ErrUnknownKey):
		return Service{}, ErrUnknownKey
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return Service{}, ErrSignature
	case err != nil:
		return Service{}, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	return claims.service()
}

func (c *serviceClaims) service() (Service, error) {
	if c.TokenType != serviceTokenType || len(c.Audience) != 1 || c.Audience[0] != Audience ||
		c.ID == "" || c.Subject == "" || c.APISessionID == "" || c.IdentityID == "" ||
		c.IssuedAt == nil || c.ExpiresAt == nil {
		return Service{}, fmt.Errorf("%w: not a service token", ErrMalformed)
	}
	if c.ServiceType != "Dial" && c.ServiceType != "Bind" {
		return Service{}, fmt.Errorf("%w: type of service session", ErrMalformed)
	}
	return Service{
		ID: c.ID, ServiceID: c.Subject, APISessionID: c.APISessionID, IdentityID: c.IdentityID,
		Type: c.ServiceType, Legacy: c.Legacy, Issuer: c.Issuer,
		IssuedAt: c.IssuedAt.UTC(), ExpiresAt: c.ExpiresAt.UTC(),
	}, nil
}
