// Package auth proves who a caller is: logins, API sessions, the certificates
// and service sessions that belong to them, and the check of every request.
//
// API sessions are soft state. The token of a session is signed with a key that
// all members of the cluster and all routers know, so what is kept here, the
// record with activity and certificates, may be lost without logging anybody
// out: a valid token without a record is accepted after a start, as active at
// the start, unless its session was revoked. Records are journalled in a local
// file. The end of a session takes effect here at once and becomes a revocation
// in the replicated state, from which routers learn it.
package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// Store reads the replicated state; *state.Store is one.
type Store interface {
	View() *state.View
	Changes(after uint64, v *state.View) ([]state.Change, bool)
}

// Writer brings a command into the log and waits until it is applied here; a
// *cluster.Node is one. A refusal is the result or the error.
type Writer interface {
	Propose(ctx context.Context, command []byte) (index uint64, result any, err error)
}

// Access decides about services. It is asked on every request that concerns a
// service session and must not block.
type Access interface {
	ServiceAccess(identityID, serviceID, sessionType string) ServiceAccess
}

// ServiceAccess is what an identity may do with a service.
type ServiceAccess struct {
	Visible  bool     // some policy lets the identity see the service
	Allowed  bool     // some policy grants the wanted type
	Policies []string // ids of the granting policies
	Routers  bool     // a connected edge router may serve both
}

// Config sets the manners of a controller's authentication. Zero fields get
// their defaults.
type Config struct {
	SessionTimeout   time.Duration // inactivity that ends a session, default 30 min, at least 1 min
	ActivityInterval time.Duration // between two writes of activity to the journal, default 90 s
	SweepInterval    time.Duration // between two searches for inactive sessions, default 1 s
	Journal          string        // path of the journal file, required
	Passwords        PasswordCost
	// MaxSessions bounds the live sessions of one identity, so that nobody fills
	// the memory by logging in again and again. Default 50,000.
	MaxSessions int
	// LoginLimit bounds the logins in progress; nil switches the limit off.
	LoginLimit *limit.WindowConfig
	// Instruments take how long searches for old sessions and revocations take, and
	// what they remove; may be nil.
	Instruments *observe.Instruments
	// Issuer is the iss claim of service tokens: https:// and edge.api.address.
	Issuer string
	// TOTPIssuer names the network in authenticator programs; openziti.io if empty.
	TOTPIssuer  string
	TrustDomain string
	// TrustDomains are further ones whose SPIFFE ids count as this network's.
	TrustDomains []string
}

const (
	defaultSessionTimeout   = 30 * time.Minute
	minSessionTimeout       = time.Minute
	defaultActivityInterval = 90 * time.Second
	defaultSweepInterval    = time.Second
	defaultMaxSessions      = 50000
)

// Deps are the parts of the controller that authentication works with.
type Deps struct {
	Store  Store
	Writer Writer
	Access Access // nil: callers decide, rights are not checked again here
	Clock  clock.Clock
	Log    *slog.Logger
	// Bundle returns the network's own CAs, Signer the authority that signs
	// session certificates. Both are asked each time, as they may be reloaded.
	Bundle func() *pki.Bundle
	Signer func() *pki.Authority
	// Notify, if not nil, is told of logins and sessions. It must not wait.
	Notify func(Notice)
}

// Auth is the authentication of one controller. It is safe for concurrent use.
type Auth struct {
	cfg  Config
	deps Deps
	log  *slog.Logger

	passwords *Passwords
	window    *limit.Window // nil: no limit
	searches  searches
	bypass    bypass
	keyring   *token.Keyring
	verifier  *token.Verifier
	signers   signers

	sessions *table
	journal  *journal
	attempts *attempts
	codes    *codes
	cas      thirdparty.Authorities
	postures postures
	notes    chan note // identity details to save; when full they are dropped

	start  time.Time
	lost   time.Time // records of sessions begun since may be missing in the journal
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// New opens the journal and takes up the sessions in it. Nothing runs until
// Start; Close must be called in any case.
func New(cfg Config, deps Deps) (*Auth, error) {
	if cfg.Journal == "" {
		return nil, errors.New("auth: no journal file is configured")
	}
	if cfg.SessionTimeout < minSessionTimeout {
		cfg.SessionTimeout = defaultSessionTimeout
	}
	if cfg.ActivityInterval <= 0 {
		cfg.ActivityInterval = defaultActivityInterval
	}
	if cfg.SweepInterval <= 0 {
		cfg.SweepInterval = defaultSweepInterval
	}
	if cfg.TOTPIssuer == "" {
		cfg.TOTPIssuer = defaultTOTPIssuer
	}
	if cfg.MaxSessions <= 0 {
		cfg.MaxSessions = defaultMaxSessions
	}
	i := cfg.Instruments
	a := &Auth{
		cfg: cfg, deps: deps, log: deps.Log,
		searches: searches{i.Timer("api.session.enforcer.run"), i.Timer("revocation.enforcer.run"),
			i.Meter("api.session.enforcer.delete"), i.Meter("revocation.enforcer.delete")},
		passwords: NewPasswords(cfg.Passwords),
		keyring:   token.NewKeyring(),
		notes:     make(chan note, 256),
		start:     deps.Clock.Now(),
	}
	if cfg.LoginLimit != nil {
		a.window = limit.NewWindow(*cfg.LoginLimit, deps.Clock.Now)
	}
	a.verifier = token.NewVerifier(a.keyring, token.DefaultCacheSize)
	a.lost = lostSince(cfg.Journal)
	j, entries, err := openJournal(cfg.Journal, deps.Log)
	if err != nil {
		return nil, fmt.Errorf("auth: journal: %w", err)
	}
	a.journal = j
	a.sessions = newTable(j)
	a.attempts = newAttempts(j)
	a.codes = newCodes(j)
	a.postures.told = make(map[string]Posture)
	a.restore(entries)
	return a, nil
}

// Start makes the signing keys if there are none yet and begins to follow the
// state and to end inactive sessions. Without a leader it fails only when there
// are no keys at all.
func (a *Auth) Start(ctx context.Context) error {
	index, err := a.loadKeys(ctx)
	if err != nil {
		return err
	}
	run, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	a.done.Go(func() { a.follow(run, index) })
	a.done.Go(func() { a.sweep(run) })
	a.done.Go(func() { a.saveNotes(run) })
	return nil
}

// Close stops everything and writes the journal to the disk. It is called once.
func (a *Auth) Close() error {
	if a.cancel != nil {
		a.cancel()
	}
	a.done.Wait()
	a.markActivity()
	return a.journal.close()
}

// Keyring returns the public keys that tokens are verified with; it follows the
// state.
func (a *Auth) Keyring() *token.Keyring { return a.keyring }

// Passwords returns the hasher of passwords.
func (a *Auth) Passwords() *Passwords { return a.passwords }

// SessionTimeout returns the inactivity that ends a session.
func (a *Auth) SessionTimeout() time.Duration { return a.cfg.SessionTimeout }

func (a *Auth) now() time.Time { return a.deps.Clock.Now().UTC() }

// write proposes a command and returns its refusal or the failure of the log.
// The refusals of single ops of a command with Each are not among them.
func (a *Auth) write(ctx context.Context, c *state.Command) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	_, result, err := a.deps.Writer.Propose(ctx, b)
	if err != nil {
		return err
	}
	refusal, _ := result.(error)
	return refusal
}

// command begins a command of the controller itself.
func (a *Auth) command() *state.Command {
	return state.NewCommand(a.now(), state.Author{Type: "controller"}, state.Source{Type: "internal", Method: "auth"}).AsSystem()
}
