// Package enroll turns a one-time right into credentials: an identity gets a
// certificate (ott) or a password (updb), a router gets its certificates (erott,
// trott), and a certificate or token of somebody whom the network trusts makes
// an identity (ottca, ca, token). It also renews certificates and makes the
// enrollments and their JWTs.
//
// Nothing but the public key and, for the server certificate of a router, the
// names is taken from a certificate request: who the holder is follows from the
// enrollment.
package enroll

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/extjwt"
	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// Store reads the replicated state; *state.Store is one.
type Store interface{ View() *state.View }

// Writer brings a command into the log and waits until it is applied here; a
// *cluster.Node is one. A refusal is the result or the error.
type Writer interface {
	Propose(ctx context.Context, command []byte) (index uint64, result any, err error)
}

// Passwords hashes passwords.
type Passwords interface {
	Hash(ctx context.Context, password string) (string, error)
}

// Sessions are told when the certificate of an identity is renewed.
type Sessions interface {
	ReplaceCertificate(identityID, oldFingerprint string, chain []*x509.Certificate)
}

// Config sets how enrollments are made. Zero durations get the default of 180
// minutes, and so do those below 5 minutes.
type Config struct {
	Address      string        // edge.api.address, host:port
	IdentityLife time.Duration // edge.enrollment.edgeIdentity.duration
	RouterLife   time.Duration // edge.enrollment.edgeRouter.duration
	TrustDomain  string
}

const (
	defaultLife = 180 * time.Minute
	minLife     = 5 * time.Minute
)

// Deps are the parts of the controller that enrolment works with.
type Deps struct {
	Store     Store
	Writer    Writer
	Passwords Passwords
	Sessions  Sessions // may be nil
	Tokens    Tokens   // nil: nobody enrols by a token
	Clock     clock.Clock
	Log       *slog.Logger
	// Bundle returns the network's own CAs, Signer the authority that signs
	// certificates of identities and routers.
	Bundle func() *pki.Bundle
	Signer func() *pki.Authority
	// ServerCertificate returns the certificate that the client API serves for a
	// host name, nil when none is made for it. Its key signs the JWTs.
	ServerCertificate func(host string) *tls.Certificate
	// ControlAddresses returns the control addresses of all controllers, in the
	// form tls:host:port.
	ControlAddresses func() []string
}

// Tokens verifies tokens of external signers; *extjwt.Verifier is one.
type Tokens interface {
	Verify(ctx context.Context, text, signerID string) (*extjwt.Token, error)
}

// Enroller enrols identities and routers. It is safe for concurrent use.
type Enroller struct {
	cfg  Config
	deps Deps
	log  *slog.Logger
	host string // of cfg.Address
	cas  thirdparty.Authorities

	mu      sync.Mutex
	network networkJWT
}

// New returns an enroller. The error names an unusable address.
func New(cfg Config, deps Deps) (*Enroller, error) {
	host, _, err := net.SplitHostPort(cfg.Address)
	if err != nil || host == "" {
		return nil, errors.New("enroll: edge.api.address is not host:port")
	}
	if cfg.IdentityLife < minLife {
		cfg.IdentityLife = defaultLife
	}
	if cfg.RouterLife < minLife {
		cfg.RouterLife = defaultLife
	}
	return &Enroller{cfg: cfg, deps: deps, log: deps.Log, host: host}, nil
}

// Request is one attempt to enrol.
type Request struct {
	Method    string // empty: that of the token's enrollment
	Token     string
	ClientCSR string // PEM, ott
	CertCSR   string // PEM, erott and trott: client certificate
	ServerCSR string // PEM, erott and trott: server certificate
	Password  string // updb
	Name      string // ca: for the place holder [requestedName]
	// Certificates are those of the TLS connection, leaf first: ottca, ca.
	Certificates []*x509.Certificate
	Bearers      []string // token: the first that is good counts
	SignerID     string   // token: the only signer whose tokens count; empty for all
	RemoteIP     string
}

// Result is what enrolment gives; which fields are set depends on the method.
type Result struct {
	Cert       string // PEM chain without root
	ServerCert string // PEM chain without root
	CA         string // PEM bundle
	Username   string
}

// Enroll uses an enrollment: one command deletes it and stores what it grants,
// so a token works once, however many use it at the same time. Methods ca and
// token use none and make an identity. Refusals: fault.InvalidEnrollmentToken,
// fault.EnrollmentExpired, fault.InvalidEnrollMethod, fault.CouldNotProcessCSR,
// fault.MissingOrInvalidCSR, fault.CouldNotValidate for a password or name, and
// those of ottCa, autoCa and byToken.
func (n *Enroller) Enroll(ctx context.Context, r Request) (*Result, error) {
	res, e, err := n.enroll(ctx, r)
	if err != nil {
		n.log.Info("enrollment refused", "method", r.Method, "remote", r.RemoteIP, "error", err)
		return nil, err
	}
	n.log.Info("enrolled", "method", e.Method, "identityId", e.IdentityID,
		"routerId", e.EdgeRouterID+e.TransitRouterID, "remote", r.RemoteIP)
	return res, nil
}

func (n *Enroller) enroll(ctx context.Context, r Request) (*Result, *model.Enrollment, error) {
	v := n.deps.Store.View()
	switch r.Method {
	case MethodCa:
		return n.autoCa(ctx, v, r)
	case MethodToken:
		return n.byToken(ctx, v, r)
	}
	var e *model.Enrollment
	if r.Token != "" {
		e = state.FirstBy[model.Enrollment](v, state.ByToken, r.Token)
	}
	switch {
	case r.Method != "" && !known(r.Method):
		return nil, nil, fault.InvalidEnrollMethod.New(nil)
	case e == nil:
		return nil, nil, fault.InvalidEnrollmentToken.New(nil)
	case r.Method != "" && r.Method != e.Method:
		return nil, nil, fault.InvalidEnrollMethod.New(nil)
	case !n.now().Before(e.ExpiresAt):
		return nil, nil, fault.EnrollmentExpired.New(nil)
	}
	var res *Result
	var err error
	switch e.Method {
	case model.MethodOtt:
		res, err = n.ott(ctx, v, e, r)
	case model.MethodOttCa:
		res, err = n.ottCa(ctx, v, e, r)
	case model.MethodUpdb:
		res, err = n.updb(ctx, v, e, r)
	case model.MethodErott, model.MethodTrott:
		res, err = n.router(ctx, v, e, r)
	default:
		err = fault.InvalidEnrollMethod.New(nil)
	}
	return res, e, err
}

// Methods that need no enrollment.
const (
	MethodCa    = "ca"    // certificate of a third-party CA
	MethodToken = "token" // token of an external signer
)

func known(method string) bool {
	switch method {
	case model.MethodOtt, model.MethodOttCa, model.MethodUpdb, model.MethodErott, model.MethodTrott:
		return true
	}
	return false
}

// consume writes the command that uses up an enrollment. Who loses the race for
// it is told that the token is invalid.
func (n *Enroller) consume(ctx context.Context, e *model.Enrollment, c *state.Command) error {
	err := n.write(ctx, c.Delete(model.KindEnrollment, e.ID))
	if err == nil {
		return nil
	}
	if state.Get[model.Enrollment](n.deps.Store.View(), e.ID) == nil || errors.Is(err, fault.NotFound) {
		return fault.InvalidEnrollmentToken.New(nil)
	}
	return err
}

func (n *Enroller) write(ctx context.Context, c *state.Command) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	_, result, err := n.deps.Writer.Propose(ctx, b)
	if err != nil {
		return err
	}
	refusal, _ := result.(error)
	return refusal
}

func (n *Enroller) now() time.Time { return n.deps.Clock.Now().UTC() }

func (n *Enroller) command(author state.Author, method, remoteIP string) *state.Command {
	return state.NewCommand(n.now(), author, state.Source{Type: "rest", Method: method, RemoteAddress: remoteIP}).AsSystem()
}
