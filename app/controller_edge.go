package app

import (
	"path/filepath"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/enroll"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/pki"
)

// makeEdge makes authentication and enrolment.
func (c *Controller) makeEdge() (err error) {
	cfg := c.o.Config.Edge
	dir, _ := dataDir(c.o.Config)
	domain, err := pki.TrustDomain(chainOf(c.identity), c.identity.Bundle(), c.o.Config.TrustDomain)
	if err != nil {
		return err
	}
	authConfig := auth.Config{
		SessionTimeout: cfg.API.SessionTimeout, ActivityInterval: cfg.API.ActivityUpdateInterval,
		Journal: filepath.Join(dir, "sessions.journal"), Issuer: "https://" + cfg.API.Address.String(), TrustDomain: domain,
		TrustDomains: trustDomains(c.o.Config.AdditionalTrustDomains),
		TOTPIssuer:   cfg.TOTP.Hostname, Instruments: c.instruments,
	}
	if l := cfg.AuthRateLimiter; l.Enabled {
		authConfig.LoginLimit = &limit.WindowConfig{Min: l.MinSize, Max: l.MaxSize, Timeout: l.Timeout, Took: c.instruments.Timer("auth.limiter.work_timer").Update}
	}
	c.auth, err = auth.New(authConfig, auth.Deps{
		Store: c.store.Store, Writer: c.store, Access: access{c.feed.Policy, c.network.Online}, Clock: clock.Real(), Log: c.o.Log,
		Bundle: c.signer.bundle, Signer: c.signer.authority, Notify: c.notice,
	})
	if err != nil {
		return err
	}
	c.parts.add(c.auth.Close)
	c.enroller, err = enroll.New(enroll.Config{
		Address: cfg.API.Address.String(), IdentityLife: cfg.Enrollment.EdgeIdentity.Duration,
		RouterLife: cfg.Enrollment.EdgeRouter.Duration, TrustDomain: domain,
	}, enroll.Deps{
		Store: c.store.Store, Writer: c.store, Passwords: c.auth.Passwords(), Sessions: c.auth, Clock: clock.Real(), Log: c.o.Log,
		Tokens: c.tokens(),
		Bundle: c.signer.bundle, Signer: c.signer.authority,
		ServerCertificate: c.apiCertificate, ControlAddresses: c.controlAddresses,
	})
	return err
}
