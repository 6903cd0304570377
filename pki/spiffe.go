package pki

import (
	"crypto/x509"
	"errors"
	"net/url"
	"strings"
)

// ErrSPIFFE says that a certificate does not carry exactly one well-formed
// spiffe URI.
var ErrSPIFFE = errors.New("pki: not exactly one valid SPIFFE id")

// CASPIFFE returns the SPIFFE id of a certificate authority.
func CASPIFFE(trustDomain string) *url.URL { return spiffe(trustDomain, "") }

// ControllerSPIFFE returns the SPIFFE id of a controller.
func ControllerSPIFFE(trustDomain, controllerID string) *url.URL {
	return spiffe(trustDomain, "/controller/"+controllerID)
}

// RouterSPIFFE returns the SPIFFE id of a router.
func RouterSPIFFE(trustDomain, routerID string) *url.URL {
	return spiffe(trustDomain, "/router/"+routerID)
}

// IdentitySPIFFE returns the SPIFFE id of an identity.
func IdentitySPIFFE(trustDomain, identityID string) *url.URL {
	return spiffe(trustDomain, "/identity/"+identityID)
}

// SessionSPIFFE returns the SPIFFE id of a certificate of an API session.
func SessionSPIFFE(trustDomain, identityID, sessionID, certificateID string) *url.URL {
	return spiffe(trustDomain, "/identity/"+identityID+"/apiSession/"+sessionID+"/apiSessionCertificate/"+certificateID)
}

func spiffe(trustDomain, path string) *url.URL {
	return &url.URL{Scheme: "spiffe", Host: trustDomain, Path: path}
}

// SPIFFE returns the one SPIFFE id of a certificate. The error is ErrSPIFFE
// when there is none, more than one, or one with a port, a user or no trust
// domain.
func SPIFFE(c *x509.Certificate) (*url.URL, error) {
	var found *url.URL
	for _, u := range c.URIs {
		if !strings.EqualFold(u.Scheme, "spiffe") {
			continue
		}
		if found != nil || u.Host == "" || u.Port() != "" || u.User != nil {
			return nil, ErrSPIFFE
		}
		found = u
	}
	if found == nil {
		return nil, ErrSPIFFE
	}
	return found, nil
}

// Match says what a SPIFFE id has in common with a session.
type Match int

// Results of MatchSPIFFE.
const (
	NoMatch         Match = iota
	MatchesIdentity       // names the identity only
	MatchesSession        // names the identity and the API session
)

// MatchSPIFFE compares a SPIFFE id with an identity and its API session. The
// trust domain is not compared: the caller has verified the chain.
func MatchSPIFFE(u *url.URL, identityID, sessionID string) Match {
	if u == nil || identityID == "" {
		return NoMatch
	}
	s := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	if n := len(s); n != 2 && n != 4 && n != 6 || s[0] != "identity" || s[1] != identityID {
		return NoMatch
	}
	if len(s) == 2 {
		return MatchesIdentity
	}
	if s[2] != "apiSession" || s[3] != sessionID || sessionID == "" {
		return NoMatch
	}
	if len(s) == 6 && s[4] != "apiSessionCertificate" {
		return NoMatch
	}
	return MatchesSession
}

// PathID returns the id of a SPIFFE id of the form /<kind>/<id>, for example of
// kind "controller", and whether it has that form.
func PathID(u *url.URL, kind string) (string, bool) {
	s := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	if len(s) != 2 || s[0] != kind || s[1] == "" {
		return "", false
	}
	return s[1], true
}
