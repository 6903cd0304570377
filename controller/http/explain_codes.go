package http

// Codes of rules that fail in an explanation, besides those of package policy.
// Circuits are refused with the same ones, where they are refused for that.
const (
	codeNotEnrolled         = "NOT_ENROLLED"            // the identity has an enrollment that nobody has used
	codeNoAuthenticator     = "NO_AUTHENTICATOR"        // the identity has neither authenticator nor enrollment
	codeMethodNotAllowed    = "AUTH_METHOD_NOT_ALLOWED" // the auth policy allows none of the identity's authenticators
	codeLocked              = "IDENTITY_LOCKED"         // the identity is disabled for a time, as after too many failed logins
	codeRouterOffline       = "ROUTER_OFFLINE"          // the router has no connection to the controller
	codeRouterQuiesced      = "ROUTER_QUIESCED"         // the router takes no new circuits at the moment
	codeNoTerminators       = "NO_TERMINATORS"          // nobody hosts the service
	codeNoOnlineTerminators = "NO_ONLINE_TERMINATORS"   // hosts are known, but their routers are offline or they may not bind any more
	codeNoEncryptionData    = "ENCRYPTION_DATA_MISSING" // the service requires encryption and no host gave a key
	codeNoPath              = "NO_PATH"                 // no usable links lead from the client's routers to the hosts'
)
