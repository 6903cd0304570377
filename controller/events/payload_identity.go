package events

import (
	"cmp"
	"time"

	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/model"
)

// precedences are the numbers of hosting precedences.
var precedences = map[string]int{"": 0, string(model.PrecedenceDefault): 0, string(model.PrecedenceRequired): 1, string(model.PrecedenceFailed): 2}

type sdkForm struct {
	Branch     string `json:"branch"`
	Revision   string `json:"revision"`
	Type       string `json:"type"`
	Version    string `json:"version"`
	AppID      string `json:"appId"`
	AppVersion string `json:"appVersion"`
}

type envForm struct {
	Arch      string `json:"arch"`
	OS        string `json:"os"`
	OSRelease string `json:"osRelease"`
	OSVersion string `json:"osVersion"`
	Domain    string `json:"domain"`
	Hostname  string `json:"hostname"`
}

// identityForm leaves enrollments and authenticators open: they are entities of
// their own.
func identityForm(e *model.Identity) any {
	sdk, env := e.SdkInfo, e.EnvInfo
	if sdk == nil {
		sdk = &model.SdkInfo{}
	}
	if env == nil {
		env = &model.EnvInfo{}
	}
	hosting := make(map[string]int, len(e.ServiceHostingPrecedences))
	for id, p := range e.ServiceHostingPrecedences {
		hosting[id] = precedences[p]
	}
	costs := e.ServiceHostingCosts
	if costs == nil {
		costs = map[string]int{}
	}
	return struct {
		base
		Name           string                       `json:"name"`
		Type           string                       `json:"identityTypeId"`
		DefaultAdmin   bool                         `json:"isDefaultAdmin"`
		Admin          bool                         `json:"isAdmin"`
		Enrollments    []string                     `json:"enrollments"`
		Authenticators []string                     `json:"authenticators"`
		Attributes     []string                     `json:"roleAttributes"`
		SDK            sdkForm                      `json:"sdkInfo"`
		Env            envForm                      `json:"envInfo"`
		Precedence     int                          `json:"defaultHostingPrecedence"`
		Cost           int                          `json:"defaultHostingCost"`
		Precedences    map[string]int               `json:"serviceHostingPrecedences"`
		Costs          map[string]int               `json:"serviceHostingCosts"`
		AppData        model.Tags                   `json:"appData"`
		AuthPolicy     string                       `json:"authPolicyId"`
		ExternalID     *string                      `json:"externalId"`
		DisabledAt     *time.Time                   `json:"disabledAt"`
		DisabledUntil  *time.Time                   `json:"disabledUntil"`
		Disabled       bool                         `json:"disabled"`
		ServiceConfigs map[string]map[string]string `json:"serviceConfigs"`
		Interfaces     []model.Interface            `json:"interfaces"`
		Permissions    []string                     `json:"permissions"`
	}{
		baseOf(&e.Base), e.Name, e.Type, e.IsDefaultAdmin, e.IsAdmin, nil, nil, e.RoleAttributes,
		sdkForm{sdk.Branch, sdk.Revision, sdk.Type, sdk.Version, sdk.AppID, sdk.AppVersion},
		envForm{env.Arch, env.OS, env.OSRelease, env.OSVersion, env.Domain, env.Hostname},
		precedences[e.DefaultHostingPrecedence], e.DefaultHostingCost, hosting, costs, orEmpty(e.AppData), e.AuthPolicyID, e.ExternalID,
		e.DisabledAt, e.DisabledUntil, e.Disabled(e.UpdatedAt), e.ServiceConfigs, e.Interfaces, e.Permissions,
	}
}

// enrollmentForm masks the token: who has it can enrol.
func enrollmentForm(e *model.Enrollment) any {
	return struct {
		base
		Token         string  `json:"token"`
		Method        string  `json:"method"`
		Identity      *string `json:"identityId"`
		TransitRouter *string `json:"transitRouterId"`
		EdgeRouter    *string `json:"edgeRouterId"`
		ExpiresAt     string  `json:"expiresAt"`
		IssuedAt      string  `json:"issuedAt"`
		CA            *string `json:"caId"`
		Username      *string `json:"username"`
	}{
		baseOf(&e.Base), audit.Masked, e.Method, orNull(e.IdentityID), orNull(e.TransitRouterID), orNull(e.EdgeRouterID),
		at(e.ExpiresAt), at(e.IssuedAt), orNull(e.CaID), orNull(e.Username),
	}
}

func authenticatorForm(e *model.Authenticator) any {
	type form struct {
		base
		Type     string `json:"type"`
		Identity string `json:"identityId"`
		Of       any    `json:"subType"`
	}
	if e.Method == model.MethodUpdb { // neither hash nor salt
		return form{baseOf(&e.Base), e.Method, e.IdentityID, struct {
			Username string `json:"username"`
		}{e.Username}}
	}
	return form{baseOf(&e.Base), e.Method, e.IdentityID, struct {
		Fingerprint       string     `json:"fingerprint"`
		PEM               string     `json:"pem"`
		ByNetwork         bool       `json:"isIssuedByNetwork"`
		ExtendRequested   bool       `json:"isExtendRequested"`
		KeyRollRequested  bool       `json:"isKeyRollRequested"`
		ExtendRequestedAt *time.Time `json:"extendRequestedAt"`
		KeyPrint          string     `json:"publicKeyPrint"`
		ResolvedToRoot    bool       `json:"lastAuthResolvedToRoot"`
		UnverifiedPEM     string     `json:"unverifiedPem"`
		Unverified        string     `json:"unverifiedFingerprint"`
		RolledKeys        bool       `json:"lastExtendRolledKeys"`
	}{
		e.Fingerprint, e.CertPem, e.IsIssuedByNetwork, e.IsExtendRequested, e.IsKeyRollRequested, e.ExtendRequestedAt, e.PublicKeyPrint,
		e.LastAuthResolvedToRoot, e.UnverifiedCertPem, e.UnverifiedFingerprint, e.LastExtendRolledKeys,
	}}
}

func terminatorForm(e *model.Terminator) any {
	return struct {
		base
		Service         string            `json:"service"`
		Router          string            `json:"router"`
		Binding         string            `json:"binding"`
		Address         string            `json:"address"`
		Instance        string            `json:"instanceId"`
		Secret          *string           `json:"instanceSecret"` // never told
		Cost            int               `json:"cost"`
		Precedence      string            `json:"precedence"`
		PeerData        map[uint32][]byte `json:"peerData"`
		Host            string            `json:"hostId"`
		SavedPrecedence *string           `json:"savedPrecedence"`
		SourceCtrl      string            `json:"sourceCtrl"`
	}{
		baseOf(&e.Base), e.ServiceID, e.RouterID, e.Binding, e.Address, e.InstanceID, nil, e.Cost,
		cmp.Or(e.Precedence, string(model.PrecedenceDefault)), e.PeerData, e.HostID, orNull(e.SavedPrecedence), e.SourceCtrl,
	}
}

func controllerForm(e *model.Controller) any {
	return struct {
		base
		Name         string                        `json:"name"`
		Address      string                        `json:"address"`
		Cert         string                        `json:"certPem"`
		Fingerprint  string                        `json:"fingerprint"`
		Online       bool                          `json:"isOnline"`
		JoinedAt     string                        `json:"lastJoinedAt"`
		Preferred    bool                          `json:"isPreferredLeader"`
		APIAddresses map[string][]model.APIAddress `json:"ApiAddresses"`
	}{
		baseOf(&e.Base), e.Name, e.CtrlAddress, e.CertPem, e.Fingerprint, e.IsOnline, at(e.LastJoinedAt), e.IsPreferredLeader, e.APIAddresses,
	}
}
