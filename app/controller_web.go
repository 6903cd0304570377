package app

import (
	"context"
	"crypto/tls"
	"errors"
	"time"

	"github.com/weftnet/weft/api"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// apiCertificate returns the certificate that the client API serves for a host,
// whose key signs enrolment tokens; nil when none is valid for it.
func (c *Controller) apiCertificate(host string) *tls.Certificate {
	for i, s := range c.o.Config.Web {
		for _, b := range s.BindPoints {
			if b.Address == c.o.Config.Edge.API.Address {
				return c.servers[i].ServerCertificateValidFor(host)
			}
		}
	}
	return c.identity.ServerCertificateValidFor(host)
}

// makeWeb makes the REST APIs and the servers that host them.
func (c *Controller) makeWeb() error {
	edge := c.o.Config.Edge
	known := sessions{auth: c.auth, bundle: c.signer.bundle}
	apis, err := chttp.NewBindings(chttp.Config{
		Build: chttp.Build(c.o.Build), State: c.store.View, Policies: c.feed.Policy, Fork: c.feed.Engine().Fork,
		Writer: inStep{c.store, c.feed}, Auth: acquainting{known}, Login: acquaintingLogin{login: known}, Sessions: known, Services: serviceSessions{c.auth},
		Enroller: enroller{c.enroller, c.auth.Passwords()}, Factors: c.auth, Postures: c.auth, Posture: postures{c.auth}, Live: live{c.registry, c.network, c.statuses}, Mesh: mesh{c.network}, Inspector: inspector{c, c.registry}, Observed: c.observed(), Database: c.database, Cluster: members{c}, Now: time.Now, Log: c.o.Log,
		Hosted: c.hosted(), APIAddress: edge.API.Address.String(), TrustAnchors: c.signer.trustAnchors,
		InstanceID: id.Short(), StartedAt: time.Now(), Watcher: c.watcher, Keys: keyGates{fetchGates(edge.ExternalJWTSigners.JWKSFetch)},
		Instruments: c.instruments,
	})
	if err != nil {
		return err
	}
	health := c.health()
	c.parts.add(func() error { health.Close(); return nil })
	bindings := make(map[string]chttp.Binding)
	for _, b := range append(apis, health.Binding()) {
		bindings[b.Name] = b
	}
	c.web = &webServers{log: c.o.Log, metrics: c.exporter}
	c.parts.add(c.web.closeOverlay)
	for i := range c.o.Config.Web {
		if err := c.web.add(i, &c.o.Config.Web[i], c.servers[i], bindings, c.ports); err != nil {
			return err
		}
	}
	return nil
}

// health starts the check of log and state.
func (c *Controller) health() *chttp.Health {
	check := c.o.Config.HealthChecks.BoltCheck
	return chttp.NewHealth([]chttp.Check{{
		ID: "bolt.read", Interval: check.Interval, Timeout: check.Timeout, InitialDelay: check.InitialDelay,
		Run: func(ctx context.Context) error {
			if state.Get[model.AuthPolicy](c.store.View(), model.DefaultAuthPolicyID) == nil {
				return errors.New("the state has no default auth policy")
			}
			return c.store.node.CheckStorage(ctx)
		},
	}}, c.store.node.IsLeader, time.Now, c.o.Log)
}

// hosted lists the active APIs of the web servers.
func (c *Controller) hosted() []chttp.Hosted {
	var out []chttp.Hosted
	for _, s := range c.o.Config.Web {
		for _, b := range s.BindPoints {
			for _, a := range s.APIs {
				if path, ok := apiPaths[a.Binding]; ok && b.Identity == nil {
					out = append(out, chttp.Hosted{Binding: a.Binding, Address: b.Address.String(), Path: path})
				}
			}
		}
	}
	return out
}

// apiPaths are the base paths of the active bindings.
var apiPaths = map[string]string{
	"edge-client": api.ClientBase, "edge-management": api.ManagementBase, "fabric": api.FabricBase, "health-checks": chttp.HealthBase,
}

// inStep writes commands and returns when the policies show them too, so that
// whoever changed a policy finds it in force.
type inStep struct {
	*store
	feed *routers.Feed
}

// Propose puts an encoded command into the log.
func (w inStep) Propose(ctx context.Context, command []byte) (index uint64, result any, err error) {
	index, result, err = w.store.Propose(ctx, command)
	if err == nil {
		err = w.feed.Wait(ctx, index)
	}
	return index, result, err
}
