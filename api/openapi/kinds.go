package openapi

import "github.com/weftnet/weft/fault"

var enrolling = []*fault.Kind{
	fault.InvalidEnrollmentToken, fault.EnrollmentExpired, fault.InvalidEnrollMethod, fault.MissingOrInvalidCSR, fault.CouldNotProcessCSR,
	fault.InvalidEnrollmentNotAllowed, fault.InvalidEnrollmentAlreadyEnrolled, fault.EnrollmentIdentityAlreadyEnrolled, fault.EnrollmentCANotValid,
	fault.EnrollmentNoValidCAs, fault.InvalidClientCert, fault.CertFailedValidation, fault.CertInUse, fault.MissingCertClaim, fault.InvalidContentType,
	fault.UnsupportedMediaType, fault.InvalidAuth,
}

var certificates = []*fault.Kind{fault.MissingOrInvalidCSR, fault.CouldNotProcessCSR, fault.InvalidClientCert, fault.InvalidCertPEM}

var secondFactor = []*fault.Kind{fault.MFAExists, fault.MFAEnrollmentNotStarted, fault.MFAInvalidToken, fault.MFANotEnrolled, fault.InvalidBackingTokenType}

// kindsByTag are refusals that operations of one subject share beside those
// that follow from their form.
var kindsByTag = map[string][]*fault.Kind{
	"Authentication": append([]*fault.Kind{fault.InvalidAuth, fault.InvalidAuthMethod}, secondFactor...),
	"Authenticator": append([]*fault.Kind{fault.InvalidAuthenticatorProperties, fault.CanNotUpdateAuthenticator, fault.MaxAuthenticatorMethodsReached,
		fault.CertInUse}, certificates...),
	"Certificate Authority": {fault.CertificateIsNotCA, fault.ExpectedPEMCertificate, fault.CouldNotParseDERBlock, fault.CouldNotParsePEMBlock,
		fault.CouldNotParseX509FromDER, fault.CertificateFailedValidation, fault.InvalidCommonName, fault.CAAlreadyVerified, fault.UnsupportedMediaType},
	"Current API Session": append(secondFactor, certificates...),
	"Current Identity":    append(append([]*fault.Kind{fault.CanNotUpdateAuthenticator}, secondFactor...), certificates...),
	"MFA":                 secondFactor,
	"Declaration": {fault.ChangedMeanwhile, fault.InvalidFilter, fault.EntityCanNotBeUpdated, fault.EntityCanNotBeDeleted, fault.CanNotDeleteReferencedEntity,
		fault.EnrollmentExists, fault.CanNotUpdateRouter, fault.CertificateIsNotCA, fault.ExpectedPEMCertificate, fault.CouldNotParseDERBlock,
		fault.CouldNotParsePEMBlock, fault.CouldNotParseX509FromDER},
	"Database":            {fault.RateLimited, fault.CouldNotValidate},
	"Edge Router":         {fault.FailedERReenrollment, fault.CanNotUpdateRouter},
	"Router":              {fault.CanNotUpdateRouter},
	"Enroll":              enrolling,
	"Enrollment":          append([]*fault.Kind{fault.EnrollmentExists}, enrolling...),
	"External JWT Signer": {fault.ExpectedPEMCertificate, fault.CouldNotParseDERBlock, fault.CouldNotParsePEMBlock},
	"Identity":            {fault.EnrollmentExists, fault.MFANotEnrolled},
	"Posture Checks":      {fault.InvalidPosture},
	"Session":             {fault.NoEdgeRoutersAvailable, fault.InvalidPosture},
}

// kindsByID are refusals of single operations.
var kindsByID = map[string][]*fault.Kind{
	"createRevocation":          {fault.InvalidUUID},
	"clusterMemberAdd":          {fault.InvalidField, fault.ServerNotRunningInHAMode},
	"clusterTransferLeadership": {fault.TransferLeadership},
}
