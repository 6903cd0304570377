package api

// GenericEnroll is the JSON body of an enrollment of any method. A PEM body is
// taken as ClientCSR.
type GenericEnroll struct {
	CertCSR       *string `json:"certCsr,omitempty"`
	ClientCSR     *string `json:"clientCsr,omitempty"`
	Name          *string `json:"name,omitempty" api:"max=256"`
	Password      *string `json:"password,omitempty" api:"min=5,max=100"`
	ServerCertCSR *string `json:"serverCertCsr,omitempty"`
	Username      *string `json:"username,omitempty"`
}

// TokenEnroll is the body of an enrollment with a token in it.
type TokenEnroll struct {
	ClientCSR *string `json:"clientCsr,omitempty"`
	ServerCSR *string `json:"serverCsr,omitempty"`
	Token     *string `json:"token,omitempty"`
}

// UpdbEnroll sets the password of a user name.
type UpdbEnroll struct {
	Password *string `json:"password,omitempty" api:"min=5,max=100"`
	Username *string `json:"username,omitempty"`
}

// CaEnroll says how an identity that enrolls by its certificate would be called.
type CaEnroll struct {
	Name *string `json:"name,omitempty" api:"max=256"`
}

// SignerEnroll asks for a certificate beside the identity that a token makes.
type SignerEnroll struct {
	ClientCSR *string `json:"clientCsr,omitempty"` // PEM
}

// HeaderTokenIssuer names the signer whose tokens count in an enrollment.
const HeaderTokenIssuer = "ziti-token-issuer-id"

// Enrolled is the answer to an enrollment; which members it has depends on the
// method.
type Enrolled struct {
	Ca         string `json:"ca,omitempty"`         // PEM
	Cert       string `json:"cert,omitempty"`       // PEM chain
	ServerCert string `json:"serverCert,omitempty"` // PEM chain
	Username   string `json:"username,omitempty"`
}

// ExtendRouter renews the certificates of a router.
type ExtendRouter struct {
	CertCSR       *string `json:"certCsr" api:"req=c"`
	ServerCertCSR *string `json:"serverCertCsr" api:"req=c"`
}

// ExtendIdentity renews the certificate of an identity.
type ExtendIdentity struct {
	ClientCertCSR *string `json:"clientCertCsr" api:"req=c"`
}

// ExtendedIdentity is the answer.
type ExtendedIdentity struct {
	Ca         string `json:"ca"`
	ClientCert string `json:"clientCert"`
}

// ExtendVerify confirms a renewed certificate.
type ExtendVerify struct {
	ClientCert *string `json:"clientCert" api:"req=c"`
}

func enrolling() []Operation {
	const tag = "Enroll"
	row := func(path, id, doc string, b *Body, params ...Param) Operation {
		return Operation{API: Client, Method: "POST", Path: path, ID: id, Tag: tag, Doc: doc, Access: Access{Rule: Public}, Params: params, Body: b, Result: detailOf[Enrolled]()}
	}
	token := Param{Name: "token", In: "query", Type: "string", Doc: "One-time token."}
	must := token
	must.Required = true
	generic := body[GenericEnroll]("body", Create)
	generic.Required = false
	enroll := row("/enroll", "enroll", "Enrolls by any method; the body is a PEM certificate request or JSON.", generic,
		Param{Name: "method", In: "query", Type: "string", Doc: "ott, ottca, updb, erott, trott, ca or token; that of the one-time token when absent."}, token)
	enroll.Consumes = []string{"application/pkcs7", "application/pkcs10", "application/x-pem-file", "text/plain"}
	byCert := body[CaEnroll]("body", Create)
	byCert.Required = false
	bySigner := body[SignerEnroll]("body", Create)
	bySigner.Required = false
	return []Operation{
		enroll,
		row("/enroll/ca", "enrollCa", "Makes an identity for the bearer of a client certificate of a third-party CA that allows it.", byCert),
		row("/enroll/token", "enrollToken", "Makes an identity for the bearer of a token of an external signer, with a certificate if one is asked for.", bySigner,
			Param{Name: "Authorization", In: "header", Type: "string", Required: true, Doc: "Bearer and the token; may be repeated, the first good one counts."},
			Param{Name: HeaderTokenIssuer, In: "header", Type: "string", Doc: "Id of the only signer whose tokens count."}),
		row("/enroll/ott", "enrollOtt", "Enrolls with a one-time token; the network issues the certificate.", body[TokenEnroll]("body", Create)),
		row("/enroll/ottca", "enrollOttCa", "Enrolls with a one-time token and a certificate of a third-party CA.", body[TokenEnroll]("body", Create)),
		row("/enroll/updb", "enrollUpdb", "Sets the password of a user name.", body[UpdbEnroll]("body", Create), must),
		row("/enroll/erott", "enrollErOtt", "Enrolls an edge router.", body[TokenEnroll]("body", Create)),
		row("/enroll/extend/router", "extendRouterEnrollment", "Renews the certificates of the router that presents one.", body[ExtendRouter]("body", Create)),
	}
}
