package fault

// General refusals of the REST APIs. Codes and messages are those of the
// ecosystem; statuses too, except where a standard status exists (validation
// failures are 400, never 6xx) and where the fault is the caller's (never 5xx).
var (
	// Unhandled is any failure that nobody foresaw.
	Unhandled = &Kind{Code: "UNHANDLED", Status: 500, Message: "An unhandled error occurred", Remedy: "look up the request id in the controller's log"}
	// NotFound is an unknown path or entity, referenced entities included.
	NotFound = &Kind{Code: "NOT_FOUND", Status: 404, Message: "The resource requested was not found or is no longer available", Remedy: "check the id or the path, list the entities to see what exists"}
	// MethodNotAllowed is a path that exists for other methods.
	MethodNotAllowed = &Kind{Code: "METHOD_NOT_ALLOWED", Status: 405, Message: "The resource requested does not support this HTTP verb", Remedy: "use one of the methods that the cause names"}
	// CouldNotValidate is a body, parameter or field that breaks a rule.
	CouldNotValidate = &Kind{Code: "COULD_NOT_VALIDATE", Status: 400, Message: validateMessage, Remedy: "correct the field that the cause names"}
	// NotAcceptable is an Accept header that admits no type of the operation.
	NotAcceptable = &Kind{Code: "COULD_NOT_VALIDATE", Status: 406, Message: validateMessage, Remedy: "accept application/json"}
	// UnsupportedMediaType is a body of a type that the operation does not read.
	UnsupportedMediaType = &Kind{Code: "COULD_NOT_VALIDATE", Status: 415, Message: validateMessage, Remedy: "send the body as application/json"}
	// InvalidField is a field error that stands inside another error.
	InvalidField = &Kind{Code: "INVALID_FIELD", Status: 400, Message: "The field contains an invalid value", Remedy: "correct the field that the cause names"}
	// CouldNotParseBody is malformed JSON or a wrong JSON type.
	CouldNotParseBody = &Kind{Code: "COULD_NOT_PARSE_BODY", Status: 400, Message: "The body of the request could not be parsed", Remedy: "send valid JSON with the types of the schema"}
	// CouldNotReadBody is an I/O failure while the body arrived.
	CouldNotReadBody = &Kind{Code: "COULD_NOT_READ_BODY", Status: 400, Message: "The body of the request could not be read", Remedy: "send the request again"}
	// RequestEntityTooLarge is a body above the limit of 1 MiB.
	RequestEntityTooLarge = &Kind{Code: "REQUEST_ENTITY_TOO_LARGE", Status: 413, Message: "The request body exceeds the maximum accepted size", Remedy: "keep the body below 1 MiB"}
	// InvalidContentType is a content type that an enrolment does not read;
	// the type is part of the message, so use InvalidContentTypeOf.
	InvalidContentType = &Kind{Code: "INVALID_CONTENT_TYPE", Status: 400, Message: "The content type supplied is not acceptable", Remedy: "use a content type that the enrollment method accepts"}
	// InvalidUUID is an id that has to be a UUID and is none.
	InvalidUUID = &Kind{Code: "INVALID_UUID", Status: 400, Message: "The supplied UUID is invalid", Remedy: "send a UUID in its usual form"}
	// InvalidFilter is a filter that does not parse or does not fit the types.
	InvalidFilter = &Kind{Code: "INVALID_FILTER", Status: 400, Message: "The filter query supplied is invalid", Remedy: "correct the filter at the place that the cause names"}
	// InvalidSortIdentifier is an unknown or unsortable field.
	InvalidSortIdentifier = &Kind{Code: "INVALID_SORT_IDENTIFIER", Status: 400, Message: "The sort order supplied is invalid", Remedy: "sort by a filterable field"}
	// InvalidPagination is a bad limit or offset.
	InvalidPagination = &Kind{Code: "INVALID_PAGINATION", Status: 400, Message: "The pagination properties provided are invalid", Remedy: "send limit and offset as whole numbers, limit at most 500"}
	// Unauthorized is a missing, unknown, expired or partial session, and a
	// session that lacks the permission: the APIs have no 403.
	Unauthorized = &Kind{Code: "UNAUTHORIZED", Status: 401, Message: "The request could not be completed. The session is not authorized or the credentials are invalid", Remedy: "log in again, or ask an administrator for the permission"}
	// RateLimited is an operation that runs at most once at a time or a minute.
	RateLimited = &Kind{Code: "RATE_LIMITED", Status: 429, Message: "The requested operation is rate limited and the rate limit has been exceeded. Please try again later", Remedy: "wait a minute and try again"}
	// TooManyRequests is a full queue of commands or logins.
	TooManyRequests = &Kind{Code: "SERVER_TOO_MANY_REQUESTS", Status: 429, Message: "Too many requests to alter state have been issued. Please slow your request rate or try again later.", Remedy: "send fewer requests at once and try again"}
	// Timeout is a request that took longer than the limit of 10 s.
	Timeout = &Kind{Code: "TIMEOUT", Status: 503, Message: "The requested operation took too much time to reply", Remedy: "try again; ask for less with limit and filter"}
	// EntityCanNotBeDeleted protects the default administrator and the like.
	EntityCanNotBeDeleted = &Kind{Code: "ENTITY_CAN_NOT_BE_DELETED", Status: 400, Message: "The entity requested for delete can not be deleted", Remedy: "delete the entity that owns it, or leave it"}
	// EntityCanNotBeUpdated protects system entities.
	EntityCanNotBeUpdated = &Kind{Code: "ENTITY_CAN_NOT_BE_UPDATED", Status: 400, Message: "The entity requested for update can not be updated", Remedy: "make an entity of your own with the wanted values"}
	// CanNotDeleteReferencedEntity is a delete that would leave references.
	CanNotDeleteReferencedEntity = &Kind{Code: "CAN_NOT_DELETE_REFERENCED_ENTITY", Status: 409, Message: "the entity cannot be deleted because it is referenced by another entity, see cause", Remedy: "remove the references first"}
	// ReferencedEntityNotFound is a reference to an entity that is not there.
	ReferencedEntityNotFound = &Kind{Code: "REFERENCED_ENTITY_NOT_FOUND", Status: 400, Message: "REFERENCED_ENTITY_NOT_FOUND", Remedy: "create the referenced entity first"}
	// ChangedMeanwhile is a declaration whose ground others keep changing.
	ChangedMeanwhile = &Kind{Code: "CHANGED_MEANWHILE", Status: 409, Message: "What the declaration is about was changed by somebody else at the same time, again and again; nothing was applied", Remedy: "see what changes it, and apply again"}
	// NotImplemented is an operation that exists in the contract only.
	NotImplemented = &Kind{Code: "NOT_IMPLEMENTED", Status: 501, Message: "The operation has not yet been implemented"}
)

// Refusals of the cluster.
var (
	// ClusterNoLeader is a write without a raft leader.
	ClusterNoLeader = &Kind{Code: "CLUSTER_NO_LEADER", Status: 503, Message: "Cluster has no leader, unable to make model updates.", Remedy: "wait for an election; if it lasts, start controllers until a majority runs"}
	// ClusterReadOnly is a write while members run different versions.
	ClusterReadOnly = &Kind{Code: "CLUSTER_READ_ONLY", Status: 503, Message: "unable to execute command. In a readonly state: different versions detected in cluster", Remedy: "bring every controller to the same version"}
	// ServerNotRunningInHAMode is a cluster operation where there is none.
	ServerNotRunningInHAMode = &Kind{Code: "SERVER_NOT_RUNNING_IN_HA_MODE", Status: 400, Message: "The server is not running in HA mode. HA operations are not permitted", Remedy: "ask a controller that is a member of a cluster"}
	// TransferLeadership is a transfer that failed.
	TransferLeadership = &Kind{Code: "TRANSFER_LEADERSHIP_ERROR", Status: 409, Message: "Error while attempting to transfer leadership", Remedy: "check that the target is a connected voter and try again"}
)

// Refusals of enrolment, authentication and certificates.
var (
	// InvalidAuth is a failed login.
	InvalidAuth = &Kind{Code: "INVALID_AUTH", Status: 401, Message: "The authentication request failed", Remedy: "check the credentials and that the auth policy allows the method"}
	// InvalidAuthMethod is an unknown login method.
	InvalidAuthMethod = &Kind{Code: "INVALID_AUTH_METHOD", Status: 400, Message: "The supplied authentication method is not valid", Remedy: "use cert, password or ext-jwt"}
	// EnrollmentExpired is a token used after its time.
	EnrollmentExpired = &Kind{Code: "ENROLLMENT_EXPIRED", Status: 400, Message: "The window for this enrollment has expired", Remedy: "ask an administrator to refresh the enrollment"}
	// EnrollmentIdentityAlreadyEnrolled is a token whose identity exists.
	EnrollmentIdentityAlreadyEnrolled = &Kind{Code: "ENROLLMENT_IDENTITY_ALREADY_ENROLLED", Status: 409, Message: "The token supplied for this enrollment already has a matching identity, cannot enroll a new identity", Remedy: "log in with the existing identity"}
	// CouldNotProcessCSR is a signing request that cannot be signed.
	CouldNotProcessCSR = &Kind{Code: "COULD_NOT_PROCESS_CSR", Status: 400, Message: "The supplied csr could not be processed", Remedy: "send one PEM certificate request with a valid signature"}
	// EnrollmentCANotValid is a CA that is gone or disabled.
	EnrollmentCANotValid = &Kind{Code: "ENROLLMENT_CA_NOT_VALID", Status: 400, Message: "The CA tied to the supplied token is no longer valid", Remedy: "enable or verify the CA, or make a new enrollment"}
	// EnrollmentNoValidCAs is a certificate that no usable CA signed.
	EnrollmentNoValidCAs = &Kind{Code: "ENROLLMENT_NO_VALID_CAS", Status: 400, Message: "No CAs are valid for this request", Remedy: "add and verify a CA that allows this enrollment"}
	// InvalidEnrollmentToken is an unknown token.
	InvalidEnrollmentToken = &Kind{Code: "INVALID_ENROLLMENT_TOKEN", Status: 400, Message: "The supplied token is not valid", Remedy: "use the token of a current enrollment; each works once"}
	// InvalidEnrollmentNotAllowed is an enrolment that configuration forbids.
	InvalidEnrollmentNotAllowed = &Kind{Code: "INVALID_ENROLLMENT_NOT_ALLOWED", Status: 409, Message: "The configuration does not allow this enrollment", Remedy: "allow this enrollment in the CA or signer"}
	// InvalidEnrollmentAlreadyEnrolled is a token that was used before.
	InvalidEnrollmentAlreadyEnrolled = &Kind{Code: "INVALID_ENROLLMENT_ALREADY_ENROLLED", Status: 410, Message: "The token provided has already been used to enroll", Remedy: "make a new enrollment"}
	// InvalidEnrollMethod is an unknown enrolment method.
	InvalidEnrollMethod = &Kind{Code: "INVALID_ENROLL_METHOD", Status: 400, Message: "The supplied enrollment method is not valid", Remedy: "use the method that the enrollment token names"}
	// MissingOrInvalidCSR is an enrolment without a usable request.
	MissingOrInvalidCSR = &Kind{Code: "MISSING_OR_INVALID_CSR", Status: 400, Message: "The supplied enrollment request is missing or contains an invalid CSR", Remedy: "send a certificate request in PEM form"}
	// EnrollmentExists is a second enrolment of one method.
	EnrollmentExists = &Kind{Code: "ENROLLMENT_EXISTS", Status: 409, Message: "ENROLLMENT_EXISTS", Remedy: "use, refresh or delete the existing enrollment"}
	// CouldNotParseX509FromDER is a certificate that does not decode.
	CouldNotParseX509FromDER = &Kind{Code: "COULD_NOT_PARSE_x509_FROM_DER", Status: 400, Message: "could not parse x509 from DER", Remedy: "send a valid certificate"}
	// CertFailedValidation is a certificate that its CA did not sign.
	CertFailedValidation = &Kind{Code: "CERT_FAILED_VALIDATION", Status: 400, Message: "certificate failed to validate against CA", Remedy: "send a certificate that the CA signed"}
	// CertInUse is a certificate of somebody else.
	CertInUse = &Kind{Code: "CERT_IN_USE", Status: 409, Message: "The certificate supplied is already associated with another identity", Remedy: "use a certificate of its own for every identity"}
	// CAAlreadyVerified is a second verification.
	CAAlreadyVerified = &Kind{Code: "CA_ALREADY_VERIFIED", Status: 409, Message: "CA has already been verified"}
	// ExpectedPEMCertificate is a PEM block of another type.
	ExpectedPEMCertificate = &Kind{Code: "EXPECTED_PEM_CERTIFICATE", Status: 400, Message: "expected PEM block type 'CERTIFICATE'", Remedy: "send a PEM block of type CERTIFICATE"}
	// CouldNotParseDERBlock is a PEM block whose bytes do not decode.
	CouldNotParseDERBlock = &Kind{Code: "COULD_NOT_PARSE_DER_BLOCK", Status: 400, Message: "The certificate's DER block could not be parsed", Remedy: "send a valid certificate"}
	// CouldNotParsePEMBlock is text without a PEM block.
	CouldNotParsePEMBlock = &Kind{Code: "COULD_NOT_PARSE_PEM_BLOCK", Status: 400, Message: "The certificate's PEM block could not be parsed", Remedy: "send the certificate in PEM form"}
	// InvalidCommonName is a certificate with an unexpected name.
	InvalidCommonName = &Kind{Code: "INVALID_COMMON_NAME", Status: 400, Message: "The common name of the supplied certificate is invalid", Remedy: "use the expected value as common name"}
	// CertificateFailedValidation is a certificate outside the CA's chain.
	CertificateFailedValidation = &Kind{Code: "CERTIFICATE_FAILED_VALIDATION", Status: 400, Message: "The supplied certificate failed to validate against the CA's certificate chain", Remedy: "send a certificate that the CA signed"}
	// CertificateIsNotCA is a leaf where a CA belongs.
	CertificateIsNotCA = &Kind{Code: "CERTIFICATE_IS_NOT_CA", Status: 400, Message: "Leading certificate is not a CA", Remedy: "put the CA certificate first"}
	// InvalidAuthenticatorProperties is a body for another method.
	InvalidAuthenticatorProperties = &Kind{Code: "INVALID_AUTHENTICATOR_PROPERTIES", Status: 400, Message: "The properties supplied did not match the authenticator method", Remedy: "send the properties of the authenticator's method"}
	// CanNotUpdateAuthenticator is an update that the method does not have.
	CanNotUpdateAuthenticator = &Kind{Code: "CAN_NOT_UPDATE_AUTHENTICATOR", Status: 409, Message: "The authenticator cannot be updated in this fashion", Remedy: "re-enroll the authenticator"}
	// CanNotUpdateRouter is a router of another API.
	CanNotUpdateRouter = &Kind{Code: "CAN_NOT_UPDATE_ROUTER", Status: 409, Message: "The router was not added via the Edge API and cannot be updated", Remedy: "use the API that the router was added by"}
	// MaxAuthenticatorMethodsReached is one authenticator too many.
	MaxAuthenticatorMethodsReached = &Kind{Code: "MAX_AUTHENTICATOR_METHODS_REACHED", Status: 409, Message: "The identity already has the maximum authenticators of the specified method", Remedy: "delete or update the existing authenticator"}
	// CouldNotParseProxyCert is a certificate header that does not decode.
	CouldNotParseProxyCert = &Kind{Code: "COULD_NOT_PARSE_PROXY_CERT", Status: 400, Message: "could not decode proxy client cert", Remedy: "correct the proxy's certificate header"}
	// MissingCertClaim is a certificate without the external id.
	MissingCertClaim = &Kind{Code: "MISSING_CERT_CLAIM", Status: 400, Message: "The certificate is expected to contain and externalId, which was not found", Remedy: "issue the certificate with the claim that the CA names"}
	// FailedERReenrollment is a router that could not be re-enrolled.
	FailedERReenrollment = &Kind{Code: "FAILED_ER_REENROLLMENT", Status: 500, Message: "the edge router failed to be re-enrolled, see cause", Remedy: "try again"}
	// InvalidClientCert is a certificate that does not fit the request.
	InvalidClientCert = &Kind{Code: "INVALID_CLIENT_CERT", Status: 400, Message: "The provided client certificate is invalid", Remedy: "present the certificate of the identity or router"}
	// InvalidCertPEM is PEM text with not exactly the expected certificates.
	InvalidCertPEM = &Kind{Code: "INVALID_CERT_PEM", Status: 400, Message: "the supplied certificate PEM is either invalid or contains the incorrect number of certificates", Remedy: "send exactly one certificate in PEM form"}
	// InvalidBackingTokenType is a session of a type that the call refuses.
	InvalidBackingTokenType = &Kind{Code: "INVALID_BACKING_TOKEN_TYPE", Status: 400, Message: "The backing token type is invalid", Remedy: "log in with the method that the call needs"}
)

// Refusals of service sessions, posture and MFA.
var (
	// NoEdgeRoutersAvailable is a session that no router could serve.
	NoEdgeRoutersAvailable = &Kind{Code: "NO_EDGE_ROUTERS_AVAILABLE", Status: 400, Message: "No edge routers are assigned and online to handle the requested connection", Remedy: "start a router that both an edge router policy and a service edge router policy allow"}
	// InvalidPosture is a failing posture check.
	InvalidPosture = &Kind{Code: "INVALID_POSTURE", Status: 409, Message: "Posture response data is missing or wrong", Remedy: "satisfy the checks that the cause names"}
	// MFAExists is a second MFA enrolment.
	MFAExists = &Kind{Code: "MFA_EXISTS", Status: 409, Message: "An MFA record already exists, try removing it", Remedy: "remove the existing MFA enrollment first"}
	// MFAEnrollmentNotStarted is a step before the first.
	MFAEnrollmentNotStarted = &Kind{Code: "MFA_ENROLLMENT_NOT_STARTED", Status: 404, Message: "MFA enrollment has not be started", Remedy: "start the MFA enrollment first"}
	// MFAInvalidToken is a wrong or used code.
	MFAInvalidToken = &Kind{Code: "MFA_INVALID_TOKEN", Status: 400, Message: "An invalid token/code was provided", Remedy: "send the current code"}
	// MFANotEnrolled is a code without an enrolment.
	MFANotEnrolled = &Kind{Code: "MFA_NOT_ENROLLED", Status: 409, Message: "The current identity is not enrolled in MFA", Remedy: "enroll in MFA first"}
)

const validateMessage = "The supplied request contains an invalid document or no valid accept content were available, see cause"

// InvalidContentTypeOf returns the refusal of one content type; the ecosystem
// makes the type part of the message.
func InvalidContentTypeOf(contentType string) *Error {
	k := *InvalidContentType
	k.Message += ": " + contentType
	return k.New(nil)
}
