package sdk

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"errors"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/weftnet/weft/pki"
)

// login is one API session.
type login struct {
	id, token                string
	identityID, identityName string
	cert                     *tls.Certificate // for router connections
	certEnds                 time.Time        // zero: an enrolled certificate
}

type apiSession struct {
	ID         string `json:"id"`
	Token      string `json:"token"`
	IdentityID string `json:"identityId"`
	Identity   struct {
		Name string `json:"name"`
	} `json:"identity"`
	AuthQueries []struct {
		TypeID   string `json:"typeId"`
		Provider string `json:"provider"`
	} `json:"authQueries"`
	Expiration int `json:"expirationSeconds"`
}

type envInfo struct {
	Arch     string `json:"arch"`
	OS       string `json:"os"`
	Hostname string `json:"hostname,omitempty"`
}

type sdkInfo struct {
	Type    string `json:"type"`
	Version string `json:"version"`
	AppID   string `json:"appId,omitempty"`
}

type loginBody struct {
	Username    string   `json:"username,omitempty"`
	Password    string   `json:"password,omitempty"`
	ConfigTypes []string `json:"configTypes,omitempty"`
	EnvInfo     envInfo  `json:"envInfo"`
	SDKInfo     sdkInfo  `json:"sdkInfo"`
}

// Login makes sure that there is an API session. Dial, Listen and Services do
// so by themselves; Login tells early whether the credentials are good. It
// returns ErrLogin if they are not.
func (c *Client) Login(ctx context.Context) error {
	_, err := c.login(ctx)
	return withOp("login", err)
}

// login returns the current API session or makes one.
func (c *Client) login(ctx context.Context) (*login, error) {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s != nil && !s.certEndsSoon() {
		return s, nil
	}
	return c.logins.do(ctx, c.spawn, func() (*login, error) {
		ctx, cancel := context.WithTimeout(c.ctx, 2*callTimeout)
		defer cancel()
		if s != nil {
			return c.renewCert(ctx, s)
		}
		return c.authenticate(ctx)
	})
}

func (c *Client) authenticate(ctx context.Context) (*login, error) {
	host, _ := os.Hostname()
	body := loginBody{ConfigTypes: c.configTypes(), EnvInfo: envInfo{Arch: runtime.GOARCH, OS: runtime.GOOS, Hostname: host},
		SDKInfo: sdkInfo{Type: "weft-sdk-go", Version: buildVersion(), AppID: c.opts.AppID}}
	method := "cert"
	if c.opts.Username != "" {
		method, body.Username, body.Password = "password", c.opts.Username, c.opts.Password
	} else if c.material.cert == nil {
		return nil, &Error{Code: "NO_CREDENTIALS", Message: "the identity has no certificate and no user name is given",
			Remedy: "enrol the identity, or set Username and Password", kind: ErrLogin}
	}
	d, err := get[apiSession](ctx, c.rest, request{method: http.MethodPost, path: "/authenticate?method=" + method, body: body})
	if err != nil {
		return nil, err
	}
	if len(d.AuthQueries) > 0 {
		return nil, &Error{Code: "AUTH_QUERIES", Message: "the login needs a further factor: " + d.AuthQueries[0].TypeID,
			Remedy: "use a client that can answer it, or ask an administrator for another authentication policy", kind: ErrLogin}
	}
	s := &login{id: d.ID, token: d.Token, identityID: d.IdentityID, identityName: d.Identity.Name, cert: c.material.cert}
	if s.cert == nil {
		if s, err = c.renewCert(ctx, s); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	c.session = s
	c.startRefresh()
	c.mu.Unlock()
	c.log.Debug("logged in", "identity", s.identityName, "session", s.id)
	return s, nil
}

// renewCert gets a certificate for router connections and returns the session with it.
func (c *Client) renewCert(ctx context.Context, s *login) (*login, error) {
	key, err := pki.NewKey()
	if err != nil {
		return nil, err
	}
	csr, err := pki.NewCSR(key, pkix.Name{CommonName: s.identityID})
	if err != nil {
		return nil, err
	}
	d, err := get[struct {
		Certificate string `json:"certificate"`
	}](ctx, c.rest, request{method: http.MethodPost, path: "/current-api-session/certificates", token: s.token,
		body: map[string]string{"csr": csr}})
	if err != nil {
		c.forgetLogin(s, err)
		return nil, err
	}
	chain, err := pki.ParseCertificates([]byte(d.Certificate))
	if err != nil {
		return nil, err
	}
	if !pki.SamePublicKey(chain[0], key) {
		return nil, errors.New("the certificate that the controller issued is for another key")
	}
	n := *s
	n.cert = &tls.Certificate{PrivateKey: key, Leaf: chain[0]}
	for _, cert := range chain {
		n.cert.Certificate = append(n.cert.Certificate, cert.Raw)
	}
	n.certEnds = chain[0].NotAfter
	c.mu.Lock()
	if c.session == s {
		c.session = &n
	}
	c.mu.Unlock()
	return &n, nil
}

const certMargin = 10 * time.Minute // before its end a session certificate is renewed

func (s *login) certEndsSoon() bool {
	return !s.certEnds.IsZero() && time.Until(s.certEnds) < certMargin
}

// forgetLogin drops a session that the controller does not know any more, and
// reports whether err says so.
func (c *Client) forgetLogin(s *login, err error) bool {
	var e *Error
	if !errors.As(err, &e) || !e.sessionEnded {
		return false
	}
	c.mu.Lock()
	current := c.session != nil && c.session.id == s.id
	if current {
		c.session = nil
		clear(c.sessions)
	}
	c.mu.Unlock()
	if current {
		c.log.Info("API session has ended", "session", s.id)
	}
	return true
}

// call is get with the API session; it logs in, and once more if the session has ended.
func call[T any](ctx context.Context, c *Client, q request) (*T, *login, error) {
	for again := false; ; again = true {
		s, err := c.login(ctx)
		if err != nil {
			return nil, nil, err
		}
		q.token = s.token
		v, err := get[T](ctx, c.rest, q)
		if err == nil || again || !c.forgetLogin(s, err) {
			return v, s, err
		}
	}
}

// verifyLogin asks the controller whether the session is still good; a new one
// is made if not.
func (c *Client) verifyLogin(ctx context.Context) error {
	_, _, err := call[apiSession](ctx, c, request{method: http.MethodGet, path: "/current-api-session"})
	return err
}

// logout ends the API session at the controller.
func (c *Client) logout(ctx context.Context) {
	c.mu.Lock()
	s := c.session
	c.session = nil
	c.mu.Unlock()
	if s != nil {
		if _, err := c.rest.do(ctx, request{method: http.MethodDelete, path: "/current-api-session", token: s.token}); err != nil {
			c.log.Debug("logout", "error", err)
		}
	}
}

func (c *Client) configTypes() []string {
	if c.opts.ConfigTypes != nil {
		return c.opts.ConfigTypes
	}
	return slices.Clone(c.identity.ConfigTypes)
}

// buildVersion is the version of the module that this SDK is built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	const module = "github.com/weftnet/weft"
	if info.Main.Path == module {
		return info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version
		}
	}
	return "unknown"
}
