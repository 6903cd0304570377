package http

import (
	"crypto/x509"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Capabilities of a controller that clients look for.
const (
	capabilityOIDC        = "OIDC_AUTH"
	capabilityOIDCWithCSR = "OIDC_AUTH_WITH_CSR"
	capabilityHA          = "HA_CONTROLLER"
)

// versionDocument writes the version document, which is the same for the whole
// life of the process.
func versionDocument(cfg Config) []byte {
	d := api.Version{APIVersions: map[string]map[string]api.APIVersion{}, BuildDate: cfg.Build.Date, Revision: cfg.Build.Revision,
		RuntimeVersion: runtime.Version(), Version: cfg.Build.Version, Capabilities: []string{capabilityHA}}
	for _, h := range cfg.Hosted {
		v := d.APIVersions[h.Binding]["v1"]
		v.Path = h.Path
		v.APIBaseURLs = append(v.APIBaseURLs, "https://"+h.Address+h.Path)
		d.APIVersions[h.Binding] = map[string]api.APIVersion{"v1": v}
		if h.Binding == "edge-oidc" && len(d.Capabilities) == 1 {
			d.Capabilities = []string{capabilityOIDC, capabilityOIDCWithCSR, capabilityHA}
		}
	}
	if client, ok := d.APIVersions["edge-client"]; ok {
		d.APIVersions["edge"] = client // the name that old clients know
	}
	b := append([]byte(nil), `{"data":`...)
	b = api.NewEncoder(typeOf[api.Version]()).Append(b, &d)
	return append(b, `,"meta":{}}`+"\n"...)
}

func (s *Server) showVersion(c *call) error {
	c.out = append(c.out[:0], s.version...)
	c.send(http.StatusOK)
	return nil
}

func (s *Server) anchors(c *call) error {
	c.w.Header()["Content-Type"] = []string{"application/pkcs7-mime"}
	c.out = append(c.out[:0], s.cfg.TrustAnchors()...)
	c.send(http.StatusOK)
	return nil
}

func (s *Server) capabilities(c *call) error {
	return c.array(func(yield func(any) bool) {
		for _, name := range []string{capabilityOIDC, capabilityHA, capabilityOIDCWithCSR} {
			if !yield(&name) {
				return
			}
		}
	})
}

func (s *Server) protocols(c *call) error {
	return c.detail(&api.Protocols{"https": {Address: s.cfg.APIAddress}})
}

func (s *Server) networkJWTs(c *call) error {
	token, err := s.cfg.Enroller.NetworkJWT()
	if err != nil {
		return err
	}
	return c.array(func(yield func(any) bool) { yield(&api.NetworkJWT{Name: "default", Token: token}) })
}

// routerCapabilities lists what a router may tell clients that it can do.
func routerCapabilities(c *call) error {
	return c.array(func(yield func(any) bool) {
		for _, name := range []string{"MultiChannel", "ConnectV2", "ServiceSubscriptions", "PostureChecks", "BindSuccess"} {
			if !yield(&name) {
				return
			}
		}
	})
}

// summary counts the entities by the names of their stores.
func (s *Server) summary(c *call) error {
	n := api.Summary{"eventualEvents": 0, "identityTypes": 2, "postureCheckTypes": len(postureTypes()),
		"apiSessions": count(s.cfg.Sessions.APISessions()), "sessions": count(s.cfg.Services.ServiceSessions())}
	for _, k := range model.Kinds() {
		if k != model.KindKey {
			n[model.Describe(k).Store] = c.state.Count(k)
		}
	}
	n["services.edge"] = n["services"]
	for r := range state.All[model.EdgeRouter](c.state) {
		if !r.IsTransit {
			n["routers.edge"]++
		}
	}
	if _, ok := n["routers.edge"]; !ok {
		n["routers.edge"] = 0
	}
	for a := range s.cfg.Sessions.APISessions() {
		n["apiSessionCertificates"] += len(s.cfg.Sessions.Certificates(a.ID))
	}
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, &n)
	c.out = append(b, `,"meta":null}`+"\n"...)
	c.send(http.StatusOK)
	return nil
}

// ownIdentity handles GET /current-identity.
func (s *Server) ownIdentity(c *call) error {
	e := state.Get[model.Identity](c.state, c.caller.IdentityID)
	if e == nil {
		return fault.NotFound.Errorf("identity with id %s not found", c.caller.IdentityID)
	}
	var d api.Identity
	shapeIdentity(c, &d, e)
	d.Links = api.Links{Set: s.links.currentIdentity}
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, &d)
	c.out = append(b, `,"meta":null}`+"\n"...)
	c.send(http.StatusOK)
	return nil
}

// peerCerts returns the certificates of the TLS connection, leaf first.
func peerCerts(r *http.Request) []*x509.Certificate {
	if r.TLS == nil {
		return nil
	}
	return r.TLS.PeerCertificates
}

func count[T any](seq iter.Seq[*T]) (n int) {
	for range seq {
		n++
	}
	return n
}

// inOrder yields entries by ascending id.
func inOrder[T any](seq iter.Seq[*T], id func(*T) string) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		all := slices.Collect(seq)
		slices.SortFunc(all, func(a, b *T) int { return strings.Compare(id(a), id(b)) })
		for _, e := range all {
			if !yield(e) {
				return
			}
		}
	}
}

func splitCommas(values []string) []string {
	var out []string
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}
