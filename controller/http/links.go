package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// linkSets are the relations of every kind of entity.
type linkSets struct {
	identity, currentIdentity, identityType          *api.LinkSet
	authenticator, ownAuthenticator, enrollment      *api.LinkSet
	authPolicy, revocation, controller               *api.LinkSet
	ca, postureCheck, postureCheckType, signer       *api.LinkSet
	service, config, configType, terminator          *api.LinkSet
	edgeRouter, transitRouter                        *api.LinkSet
	servicePolicy, edgeRouterPolicy, serviceERPolicy *api.LinkSet
	fabricRouter, fabricService, link, circuit       *api.LinkSet
	apiSession, session, sessionCertificate, spec    *api.LinkSet
	mfaCreated, mfaUnverified, mfaVerified           *api.LinkSet
}

func newLinkSets() linkSets {
	set := func(plural string, subs ...string) *api.LinkSet { return &api.LinkSet{Plural: plural, Subs: subs} }
	l := linkSets{
		identity: set("identities", "authenticators", "edge-router-policies", "edge-routers", "enrollments",
			"failed-service-requests", "posture-data", "service-configs", "service-policies", "services"),
		currentIdentity:    set("current-identity", "mfa"),
		identityType:       set("identity-types"),
		authenticator:      set("authenticators"),
		ownAuthenticator:   set("current-identity/authenticators"),
		enrollment:         set("enrollments"),
		authPolicy:         set("auth-policies"),
		revocation:         set("revocations"),
		controller:         set("controllers"),
		ca:                 set("cas", "jwt", "verify"),
		postureCheck:       set("posture-checks"),
		postureCheckType:   set("posture-check-types"),
		signer:             set("external-jwt-signers"),
		service:            set("services", "configs", "service-edge-router-policies", "service-policies", "terminators"),
		config:             set("configs"),
		configType:         set("config-types"),
		terminator:         set("terminators"),
		edgeRouter:         set("edge-routers", "edge-router-policies"),
		transitRouter:      set("transit-routers"),
		fabricRouter:       set("routers", "terminators"),
		fabricService:      set("services", "terminators"),
		link:               set("links"),
		circuit:            set("circuits", "services", "terminators"),
		servicePolicy:      set("service-policies", "identities", "posture-checks", "services"),
		edgeRouterPolicy:   set("edge-router-policies", "edge-routers", "identities"),
		serviceERPolicy:    set("service-edge-router-policies", "edge-routers", "services"),
		apiSession:         set("api-sessions", "sessions"),
		session:            set("sessions", "route-path"),
		sessionCertificate: set("current-api-session/certificates"),
		spec:               set("specs", "spec"),
	}
	l.mfaLinks()
	l.identity.Fixed = []api.Relation{{Name: "auth-policies", Href: "./auth-policies/", WithOther: true}}
	l.authenticator.Fixed = []api.Relation{{Name: "identities", Href: "./identities/", WithOther: true}}
	return l
}

// ref returns a reference to an entity; the name is empty if it is gone.
func (c *call) ref(set *api.LinkSet, k model.Kind, id string) api.Ref {
	r := api.Ref{Links: api.Links{Set: set, ID: id}, Entity: set.Plural, ID: id}
	if e := c.state.Get(k, id); e != nil {
		r.Name = nameOf(e)
	}
	return r
}

func (c *call) identityRef(id string) api.Ref {
	set := c.s.links.identity
	r := api.Ref{Links: api.Links{Set: set, ID: id, Other: model.DefaultAuthPolicyID}, Entity: set.Plural, ID: id}
	if i := state.Get[model.Identity](c.state, id); i != nil {
		r.Name, r.Links.Other = i.Name, i.AuthPolicyID
	}
	return r
}

func (c *call) serviceRef(id string) api.Ref { return c.ref(c.s.links.service, model.KindService, id) }
