package events

import "github.com/weftnet/weft/model"

// The forms of events of sessions, logins and connections.

type apiSessionEvent struct {
	head
	Type          string `json:"event_type"`
	ID            string `json:"id"`
	Provider      string `json:"type"`
	Token         string `json:"token"` // never told
	Identity      string `json:"identity_id"`
	Address       string `json:"ip_address"`
	CertGenerated bool   `json:"cert_generated"`
}

func (e *APISession) about() (kind, of string) { return "apiSession", e.Type }

func (e *APISession) forms(h head, _ *subscription) []any {
	return one(apiSessionEvent{head: h.when(e.At), Type: e.Type, ID: e.ID, Provider: e.Provider, Identity: e.IdentityID, Address: e.Address, CertGenerated: e.CertGenerated})
}

type sessionEvent struct {
	head
	Type        string `json:"event_type"`
	SessionType string `json:"session_type"`
	Provider    string `json:"provider"`
	ID          string `json:"id"`
	Token       string `json:"token,omitempty"` // the id: the token itself is never told
	APISession  string `json:"api_session_id"`
	Identity    string `json:"identity_id"`
	Service     string `json:"service_id"`
}

func (e *Session) about() (kind, of string) { return "session", e.Type }

func (e *Session) forms(h head, _ *subscription) []any {
	return one(sessionEvent{h.when(e.At), e.Type, e.SessionType, e.Provider, e.ID, e.ID, e.APISessionID, e.IdentityID, e.ServiceID})
}

type authenticationEvent struct {
	head
	Type          string `json:"event_type"`
	Method        string `json:"type"`
	Authenticator string `json:"authenticator_id"`
	Signer        string `json:"external_jwt_signer_id"`
	Identity      string `json:"identity_id"`
	AuthPolicy    string `json:"auth_policy_id"`
	Address       string `json:"remote_address"`
	Success       bool   `json:"success"`
	Reason        string `json:"reason"`
	ImproperChain bool   `json:"improper_client_cert_chain"`
}

func (e *Authentication) about() (kind, of string) {
	if e.Success {
		return "authentication", "success"
	}
	return "authentication", "fail"
}

func (e *Authentication) forms(h head, _ *subscription) []any {
	_, of := e.about()
	return one(authenticationEvent{
		h.when(e.At), of, e.Method, e.AuthenticatorID, e.SignerID, e.IdentityID, e.AuthPolicyID, e.Address, e.Success, e.Reason, e.ImproperChain,
	})
}

type connectEvent struct {
	head
	SrcType string `json:"src_type"`
	DstType string `json:"dst_type"`
	SrcID   string `json:"src_id"`
	SrcAddr string `json:"src_addr"`
	DstID   string `json:"dst_id"`
	DstAddr string `json:"dst_addr"`
}

func (e *Connect) about() (kind, of string) { return "connect", "" }

func (e *Connect) forms(h head, _ *subscription) []any {
	return one(connectEvent{h.when(e.At), e.SrcType, e.DstType, e.SrcID, e.SrcAddr, e.DstID, e.DstAddr})
}

type sdkEvent struct {
	head
	Type     string `json:"event_type"`
	Identity string `json:"identity_id"`
}

func (e *SDK) about() (kind, of string) { return "sdk", e.Type }

func (e *SDK) forms(h head, _ *subscription) []any {
	return one(sdkEvent{h.when(e.At), e.Type, e.IdentityID})
}

// APISessionChange is the change of an entity that a login session is, although
// it is not part of the replicated state.
type APISessionChange struct {
	APISession
	AuthenticatorID string
	AuthorName      string // of the identity
	Version         string // of the controller
	Partial         bool   // factors are outstanding
	CertExtendable  bool
	ImproperChain   bool
}

func (e *APISessionChange) about() (kind, of string) { return "entityChange", "apiSessions" }

func (e *APISessionChange) forms(h head, _ *subscription) []any {
	moment := at(e.At)
	form := &entityState{struct {
		base
		Identity       string   `json:"identityId"`
		Address        string   `json:"ipAddress"`
		ConfigTypes    []string `json:"configTypes"`
		MfaComplete    bool     `json:"mfaComplete"`
		MfaRequired    bool     `json:"mfaRequired"`
		ActiveAt       string   `json:"lastActivityAt"`
		Authenticator  string   `json:"authenticatorId"`
		CertExtendable bool     `json:"isCertExtendable"`
		ImproperChain  bool     `json:"improperClientCertChain"`
	}{
		base{e.ID, moment, moment, model.Tags{}, false}, e.IdentityID, e.Address, nil, false, e.Partial, moment,
		e.AuthenticatorID, e.CertExtendable, e.ImproperChain,
	}}
	none, parent := &entityState{}, false
	out := changeEvent{
		head: h.when(e.At), ID: changeID([]byte(e.ID + e.Type)), Type: e.Type, Entity: "apiSessions", Parent: &parent, Initial: none, Final: form,
		Metadata: &changeMetadata{
			Author: changeAuthor{"identity", e.IdentityID, e.AuthorName}, Version: e.Version, Source: changeSource{Type: "rest", Auth: "edge", Remote: e.Address},
		},
	}
	if e.Type == "deleted" {
		out.Initial, out.Final = form, none
	}
	return []any{out, changeEvent{head: out.head, ID: out.ID, Type: "committed"}}
}
