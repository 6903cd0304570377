// Package renew keeps the certificates of a router valid: it asks a controller
// for new ones when two thirds of their life are over, or on demand, and puts
// them in place without a restart.
//
// The order is what makes a crash harmless. New certificates are written beside
// the old ones; the controller is told and changes what it accepts, from the old
// one alone to the new one; then the files are put in place and loaded. Between
// the offer and the confirmation the controller accepts both. A router that
// finds complete new files at its start uses them.
package renew

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// Controller is how the controller is asked.
type Controller interface {
	Extend(ctx context.Context, m *ctrl.Extend) (*ctrl.Extended, error)
	ConfirmExtend(ctx context.Context, m *ctrl.ConfirmExtend) (*ctrl.ExtendConfirmed, error)
}

// Config describes a Renewer.
type Config struct {
	Identity   *pki.Identity
	Files      Files
	Names      []string // of the server certificate; none: those it has
	Controller Controller
	AtOnce     bool // renew once at the start, whether or not it is due
	Clock      clock.Clock
	Log        *slog.Logger
	// Jitter returns a random part of d, so that the routers of a network do not
	// renew all at once; rand by default.
	Jitter func(d time.Duration) time.Duration
}

// Renewer renews the certificates of a router. It is safe for concurrent use.
type Renewer struct {
	cfg  Config
	busy sync.Mutex // one renewal at a time
}

// New returns a renewer; Run starts it.
func New(cfg Config) *Renewer {
	if cfg.Clock == nil {
		cfg.Clock = clock.Real()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Jitter == nil {
		cfg.Jitter = func(d time.Duration) time.Duration { return rand.N(max(d, 1)) }
	}
	return &Renewer{cfg: cfg}
}

// ErrExpired says that the client certificate has expired: no controller
// accepts the router, it has to be enrolled anew.
var ErrExpired = errors.New("the certificate of the router has expired; re-enroll the router and run weft router enroll")

// Due returns when the certificates are to be renewed: when two thirds of the
// life of the first one to end are over.
func (r *Renewer) Due() time.Time {
	due := dueOf(r.cfg.Identity.ClientCertificate().Leaf.NotBefore, r.cfg.Identity.ClientCertificate().Leaf.NotAfter)
	if s := r.server(); s != nil {
		if d := dueOf(s.Leaf.NotBefore, s.Leaf.NotAfter); d.Before(due) {
			due = d
		}
	}
	return due
}

func dueOf(from, until time.Time) time.Time { return from.Add(until.Sub(from) / 3 * 2) }

// Pauses between attempts.
const (
	firstPause   = 10 * time.Second
	longestPause = time.Hour
	longestWait  = 12 * time.Hour // a certificate may be replaced by hand meanwhile
)

// Run renews when it is time, until ctx ends. First it confirms the certificate
// that the router uses, for a crash may have come before.
func (r *Renewer) Run(ctx context.Context) {
	pause := firstPause
	confirmed, atOnce := false, r.cfg.AtOnce
	for {
		wait := min(r.wait(), longestWait)
		var err error
		switch {
		case !confirmed:
			err = r.confirmPresent(ctx)
			confirmed = err == nil
			wait = 0
		case wait <= 0 || atOnce:
			err = r.Renew(ctx)
			atOnce = atOnce && err != nil
			wait = firstPause
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrExpired):
			wait = longestPause // until somebody has enrolled the router again
			r.cfg.Log.Error("certificates not renewed", "error", err)
		case err != nil:
			wait = pause/2 + r.cfg.Jitter(pause)
			pause = min(2*pause, r.longest())
			r.cfg.Log.Warn("certificates not renewed", "error", err, "retry", wait, "until", r.cfg.Identity.ClientCertificate().Leaf.NotAfter)
		default:
			pause = firstPause
		}
		if wait > 0 && !r.sleep(ctx, wait) {
			return
		}
	}
}

// wait returns how long to wait for the next renewal: to the due time and a
// random part of a twentieth of the life more.
func (r *Renewer) wait() time.Duration {
	leaf := r.cfg.Identity.ClientCertificate().Leaf
	wait := r.Due().Sub(r.cfg.Clock.Now())
	if wait <= 0 {
		return 0
	}
	return wait + r.cfg.Jitter(leaf.NotAfter.Sub(leaf.NotBefore)/20)
}

// longest returns the longest pause between attempts: there are to be several
// before the certificates end.
func (r *Renewer) longest() time.Duration {
	left := r.cfg.Identity.ClientCertificate().Leaf.NotAfter.Sub(r.cfg.Clock.Now())
	return min(longestPause, max(left/8, firstPause))
}

func (r *Renewer) sleep(ctx context.Context, d time.Duration) bool {
	t := r.cfg.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C():
		return true
	}
}

// Renew renews now and returns when the new certificates are in use. The error
// says what is not done; the certificates that are in use go on.
func (r *Renewer) Renew(ctx context.Context) error {
	r.busy.Lock()
	defer r.busy.Unlock()
	if r.cfg.Files.Cert == "" {
		return errors.New("identity.cert names no file: replace the certificate in the configuration")
	}
	now := r.cfg.Clock.Now()
	if now.After(r.cfg.Identity.ClientCertificate().Leaf.NotAfter) {
		return ErrExpired
	}
	if text := r.cfg.Files.staged(); text != "" {
		// A confirmation got no answer. What the controller has not taken is of no use.
		refused, err := r.confirm(ctx, text)
		if err == nil {
			return r.install()
		}
		if !refused {
			return err
		}
		// Not after the next offer: a start in between would put it in place.
		if err := r.cfg.Files.Discard(); err != nil {
			return err
		}
	}
	if err := r.extend(ctx, now); err != nil {
		return err
	}
	if refused, err := r.confirm(ctx, r.cfg.Files.staged()); err != nil {
		if refused {
			err = errors.Join(err, r.cfg.Files.Discard())
		}
		return err
	}
	return r.install()
}

// extend asks for certificates and writes them beside the present ones.
func (r *Renewer) extend(ctx context.Context, now time.Time) error {
	request, err := r.request()
	if err != nil {
		return err
	}
	answer, err := r.cfg.Controller.Extend(ctx, request)
	if err != nil {
		return err
	}
	if answer.Refusal != nil {
		return refusal(answer.Refusal)
	}
	if err := r.check(answer, now); err != nil {
		return fmt.Errorf("the controller's answer is of no use: %w", err)
	}
	server, err := r.serverText(answer.ServerCert)
	if err != nil {
		return err
	}
	return r.cfg.Files.stage(answer.Cert, server, answer.Ca)
}

// confirm tells the controller that a certificate is stored. refused says that
// the controller does not want it.
func (r *Renewer) confirm(ctx context.Context, cert string) (refused bool, err error) {
	answer, err := r.cfg.Controller.ConfirmExtend(ctx, &ctrl.ConfirmExtend{Cert: cert})
	if err != nil {
		return false, err
	}
	if answer.Refusal != nil {
		return true, refusal(answer.Refusal)
	}
	return false, nil
}

// confirmPresent tells the controller which certificate is in use. That it does
// not want to know is no error: it accepted the connection.
func (r *Renewer) confirmPresent(ctx context.Context) error {
	leaf := r.cfg.Identity.ClientCertificate().Leaf
	refused, err := r.confirm(ctx, pki.EncodeCertificates(leaf))
	if refused {
		r.cfg.Log.Debug("present certificate not confirmed", "error", err)
		return nil
	}
	return err
}

// install puts the new files in place and loads them.
func (r *Renewer) install() error {
	if _, err := r.cfg.Files.Finish(); err != nil {
		return err
	}
	if err := r.cfg.Identity.Reload(); err != nil {
		return fmt.Errorf("new certificates not loaded, the former ones stay in use: %w", err)
	}
	leaf := r.cfg.Identity.ClientCertificate().Leaf
	r.cfg.Log.Info("certificates renewed", "fingerprint", pki.Fingerprint(leaf), "until", leaf.NotAfter)
	return nil
}

func refusal(r *ctrl.Refusal) error {
	if r.Remedy != "" {
		return fmt.Errorf("refused by the controller: %s: %s (%s)", r.Code, r.Message, r.Remedy)
	}
	return fmt.Errorf("refused by the controller: %s: %s", r.Code, r.Message)
}
