package http

import (
	"reflect"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/schema"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// entities are the declarations of all kinds.
type entities struct {
	identities                *identityEntity
	authenticators            *authenticatorEntity
	enrollments               *enrollmentEntity
	authPolicies              *authPolicyEntity
	revocations               *revocationEntity
	controllers               *controllerEntity
	cas                       *caEntity
	postureChecks             *postureCheckEntity
	signers                   *signerEntity
	clientSigners             *clientSignerEntity
	services                  *serviceEntity
	configs                   *configEntity
	configTypes               *configTypeEntity
	terminators               *terminatorEntity
	edgeRouters               *edgeRouterEntity
	routers                   *routerEntity
	fabricRouters             *fabricRouterEntity
	fabricServices            *fabricServiceEntity
	fabricTerminators         *fabricTerminatorEntity
	servicePolicies           *servicePolicyEntity
	edgeRouterPolicies        *edgeRouterPolicyEntity
	serviceEdgeRouterPolicies *serviceEdgeRouterPolicyEntity
}

func (s *Server) declare() {
	s.links = newLinkSets()
	schemas := new(schema.Validator)
	s.entities = entities{
		identities: s.identityEntity(), authenticators: s.authenticatorEntity(), enrollments: s.enrollmentEntity(),
		authPolicies: s.authPolicyEntity(), revocations: s.revocationEntity(), controllers: s.controllerEntity(),
		services: s.serviceEntity(), configs: s.configEntity(schemas), configTypes: s.configTypeEntity(schemas),
		cas: s.caEntity(), postureChecks: s.postureCheckEntity(), signers: s.signerEntity(), clientSigners: s.clientSignerEntity(),
		terminators: s.terminatorEntity(), edgeRouters: s.edgeRouterEntity(), routers: s.routerEntity(),
		servicePolicies: s.servicePolicyEntity(), edgeRouterPolicies: s.edgeRouterPolicyEntity(),
		serviceEdgeRouterPolicies: s.serviceEdgeRouterPolicyEntity(),
		fabricRouters:             s.fabricRouterEntity(), fabricServices: s.fabricServiceEntity(),
	}
	s.fabricTerminators = s.fabricTerminatorEntity()
}

type handlers map[string]handler

// entity adds the operations that all kinds share, as far as the table has them.
func serve[E, D any, P pointer[E]](h handlers, one, many string, x *entity[E, D, P]) {
	h["list"+many], h["detail"+one] = x.list, x.detail
	h["create"+one], h["update"+one], h["patch"+one], h["delete"+one] = x.create, x.update, x.patch, x.delete
}

// common returns the handlers of operations that both APIs have.
func (s *Server) common() handlers {
	h := handlers{
		"listRoot": s.showVersion, "listVersion": s.showVersion, "listWellKnownCas": s.anchors,
		"listEnumeratedCapabilities": s.capabilities, "listNetworkJWTs": s.networkJWTs, "listEnumeratedRouterCapabilities": routerCapabilities,
		"listControllers": s.controllers.list,
		"authenticate":    s.login, "getCurrentAPISession": s.ownSession, "deleteCurrentAPISession": s.logout,
		"getCurrentIdentity":                 s.ownIdentity,
		"updateCurrentIdentityAuthenticator": s.changeOwn, "patchCurrentIdentityAuthenticator": s.changeOwn,
		"extendCurrentIdentityAuthenticator": s.extendOwn, "extendVerifyCurrentIdentityAuthenticator": s.verifyOwn,
	}
	s.mfaHandlers(h)
	h["listCurrentIdentityAuthenticators"], h["detailCurrentIdentityAuthenticator"] = s.ownAuthenticators()
	s.specHandlers(h)
	return h
}

func (s *Server) clientHandlers() handlers {
	h := s.common()
	h["listProtocols"], h["listExternalJwtSigners"] = s.protocols, s.clientSigners.list
	h["listServices"], h["detailService"] = s.listOwnServices, s.detailOwnService
	h["listServiceEdgeRouters"], h["listServiceTerminators"] = s.ownServiceRouters, s.ownServiceTerminators()
	h["getCurrentIdentityEdgeRouters"] = s.ownRouters()
	h["listServiceUpdates"] = s.serviceUpdates
	h["listCurrentApiSessionCertificates"], h["createCurrentApiSessionCertificate"],
		h["detailCurrentApiSessionCertificate"], h["deleteCurrentApiSessionCertificate"] = s.certificates()
	h["listSessions"], h["detailSession"], h["deleteSession"], _ = s.serviceSessions(false)
	h["createSession"] = s.createSession
	h["createPostureResponse"], h["createPostureResponseBulk"] = s.tellPosture, s.tellPostures
	h["enroll"], h["enrollUpdb"], h["extendRouterEnrollment"] = s.enroll, s.enrollUpdb, s.extendRouter
	h["enrollOtt"], h["enrollOttCa"], h["enrollErOtt"] = s.enrollToken(model.MethodOtt), s.enrollToken(model.MethodOttCa), s.enrollToken(model.MethodErott)
	h["enrollCa"], h["enrollToken"] = s.enrollCa, s.enrollByToken
	return h
}

func (s *Server) managementHandlers() handlers {
	h := s.common()
	serve(h, "Identity", "Identities", s.identities)
	serve(h, "Authenticator", "Authenticators", s.authenticators)
	serve(h, "Enrollment", "Enrollments", s.enrollments)
	serve(h, "AuthPolicy", "AuthPolicies", s.authPolicies)
	serve(h, "Revocation", "Revocations", s.revocations)
	serve(h, "Ca", "Cas", s.cas)
	serve(h, "PostureCheck", "PostureChecks", s.postureChecks)
	serve(h, "ExternalJwtSigner", "ExternalJwtSigners", s.signers)
	serve(h, "Service", "Services", s.services)
	serve(h, "Config", "Configs", s.configs)
	serve(h, "ConfigType", "ConfigTypes", s.configTypes)
	serve(h, "Terminator", "Terminators", s.terminators)
	serve(h, "EdgeRouter", "EdgeRouters", s.edgeRouters)
	serve(h, "TransitRouter", "TransitRouters", s.routers)
	serve(h, "Router", "Routers", s.routers)
	serve(h, "ServicePolicy", "ServicePolicies", s.servicePolicies)
	serve(h, "EdgeRouterPolicy", "EdgeRouterPolicies", s.edgeRouterPolicies)
	serve(h, "ServiceEdgeRouterPolicy", "ServiceEdgeRouterPolicies", s.serviceEdgeRouterPolicies)
	h["listServices"], h["detailService"] = s.listServices, s.detailService
	h["listAPISessions"], h["detailAPISessions"], h["deleteAPISessions"] = s.apiSessions()
	h["listSessions"], h["detailSession"], h["deleteSession"], h["detailSessionRoutePath"] = s.serviceSessions(true)
	h["listIdentityTypes"], h["detailIdentityType"] = s.identityTypes()
	h["listPostureCheckTypes"], h["detailPostureCheckType"] = s.postureCheckTypes()
	h["listSummary"] = s.summary
	s.databaseHandlers(h)
	h["explain"], h["whoCan"], h["whatCan"], h["whatIf"] = s.explain, s.whoCan(), s.whatCan(), s.whatIf
	s.declarationHandlers(h)
	s.observeHandlers(h)
	s.actionHandlers(h)
	s.associationHandlers(h)
	return h
}

// actionHandlers are operations on one entity beside the usual ones.
func (s *Server) actionHandlers(h handlers) {
	h["disableIdentity"], h["enableIdentity"], h["removeIdentityMfa"] = s.disable, s.enable, s.removeMFA
	h["listIdentitysServiceConfigs"] = s.serviceConfigs
	h["associateIdentitysServiceConfigs"], h["disassociateIdentitysServiceConfigs"] = s.assignConfigs(true), s.assignConfigs(false)
	h["getCaJwt"], h["verifyCa"] = s.caJWT, s.verifyCA
	h["getIdentityFailedServiceRequests"], h["getIdentityPolicyAdvice"] = s.failedRequests, s.policyAdvice
	h["getIdentityPostureData"], h["updateIdentityTracing"] = s.postureData, s.traceIdentity
	h["reEnrollAuthenticator"], h["requestExtendAuthenticator"] = s.reEnroll, s.requestExtend
	h["refreshEnrollment"], h["reEnrollEdgeRouter"] = s.refresh, s.reEnrollRouter
}

// associationHandlers are the lists of entities that belong to one entity, and
// of the attributes in use.
func (s *Server) associationHandlers(h handlers) {
	h["getIdentityAuthenticators"] = s.authenticators.indexed(state.ByIdentity)
	h["getIdentityEnrollments"] = s.enrollments.indexed(state.ByIdentity)
	h["listIdentityEdgeRouters"] = s.edgeRouters.some(relatedRight(policy.MayUse))
	h["listIdentityServices"] = s.services.some(servicesOf)
	h["listIdentityServicePolicies"] = s.servicePolicies.some(policiesOf(policy.KindIdentity, policy.MayDial, policy.MayBind))
	h["listIdentitysEdgeRouterPolicies"] = s.edgeRouterPolicies.some(policiesOf(policy.KindIdentity, policy.MayUse))

	h["listServiceConfig"] = s.configs.some(func(c *call) []string {
		if e := state.Get[model.Service](c.state, c.id()); e != nil {
			return append([]string(nil), e.Configs...)
		}
		return nil
	})
	h["listServiceEdgeRouters"] = s.edgeRouters.some(relatedRight(policy.MayServeBy))
	h["listServiceIdentities"] = s.identities.some(identitiesOf)
	h["listServiceServicePolicies"] = s.servicePolicies.some(policiesOf(policy.KindService, policy.MayDial, policy.MayBind))
	h["listServiceServiceEdgeRouterPolicies"] = s.serviceEdgeRouterPolicies.some(policiesOf(policy.KindService, policy.MayServeBy))
	h["listServiceTerminators"] = s.terminators.indexed(state.ByService)
	h["listConfigServices"] = s.services.indexed(state.ByConfig)
	h["listConfigsForConfigType"] = s.configs.indexed(state.ByConfigType)

	h["listEdgeRouterIdentities"] = s.identities.some(relatedLeft(policy.MayUse))
	h["listEdgeRouterServices"] = s.services.some(relatedLeft(policy.MayServeBy))
	h["listEdgeRouterEdgeRouterPolicies"] = s.edgeRouterPolicies.some(policiesOf(policy.KindRouter, policy.MayUse))
	h["listEdgeRouterServiceEdgeRouterPolicies"] = s.serviceEdgeRouterPolicies.some(policiesOf(policy.KindRouter, policy.MayServeBy))

	h["listServicePolicyIdentities"] = s.identities.some(members(policy.KindServicePolicy, policy.KindIdentity))
	h["listServicePolicyServices"] = s.services.some(members(policy.KindServicePolicy, policy.KindService))
	h["listServicePolicyPostureChecks"] = s.postureChecks.some(checksOf)
	h["listEdgeRouterPolicyIdentities"] = s.identities.some(members(policy.KindEdgeRouterPolicy, policy.KindIdentity))
	h["listEdgeRouterPolicyEdgeRouters"] = s.edgeRouters.some(members(policy.KindEdgeRouterPolicy, policy.KindRouter))
	h["listServiceEdgeRouterPolicyServices"] = s.services.some(members(policy.KindServiceEdgeRouterPolicy, policy.KindService))
	h["listServiceEdgeRouterPolicyEdgeRouters"] = s.edgeRouters.some(members(policy.KindServiceEdgeRouterPolicy, policy.KindRouter))

	for one, sources := range attributeSources() {
		h["list"+one+"RoleAttributes"], h["list"+one+"RoleAttributeUsage"] = sources.inUse(), sources.usage()
	}
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
