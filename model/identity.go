package model

import "time"

// Types of an identity.
const (
	IdentityDefault = "Default"
	IdentityRouter  = "Router" // companion of a router, made by the system
)

// Terminator precedences.
const (
	PrecedenceDefault  = "default"
	PrecedenceRequired = "required"
	PrecedenceFailed   = "failed"
)

// Identity is a user, device, service host or the companion of a router.
type Identity struct {
	Base
	Name                      string                       `json:"name" weft:"create,update,patch,required,filter"`
	Type                      string                       `json:"type" weft:"create,update,patch,required,filter"`
	IsAdmin                   bool                         `json:"isAdmin,omitempty" weft:"create,update,patch,required,filter"`
	IsDefaultAdmin            bool                         `json:"isDefaultAdmin,omitempty" weft:"readonly,filter"`
	AuthPolicyID              string                       `json:"authPolicyId" weft:"create,update,patch,filter"`
	ExternalID                *string                      `json:"externalId,omitempty" weft:"create,update,patch,filter"`
	RoleAttributes            []string                     `json:"roleAttributes,omitempty" weft:"create,update,patch,filter"`
	Permissions               []string                     `json:"permissions,omitempty" weft:"create,update,patch"`
	DefaultHostingPrecedence  string                       `json:"defaultHostingPrecedence,omitempty" weft:"create,update,patch"`
	DefaultHostingCost        int                          `json:"defaultHostingCost,omitempty" weft:"create,update,patch"`
	ServiceHostingPrecedences map[string]string            `json:"serviceHostingPrecedences,omitempty" weft:"create,update,patch"` // by service id
	ServiceHostingCosts       map[string]int               `json:"serviceHostingCosts,omitempty" weft:"create,update,patch"`       // by service id
	AppData                   Tags                         `json:"appData,omitempty" weft:"create,update,patch"`
	ServiceConfigs            map[string]map[string]string `json:"serviceConfigs,omitempty" weft:"readonly,internal"` // service id, config type id: config id
	EnvInfo                   *EnvInfo                     `json:"envInfo,omitempty" weft:"readonly"`
	SdkInfo                   *SdkInfo                     `json:"sdkInfo,omitempty" weft:"readonly"`
	Interfaces                []Interface                  `json:"interfaces,omitempty" weft:"readonly"`
	DisabledAt                *time.Time                   `json:"disabledAt,omitempty" weft:"readonly"`
	DisabledUntil             *time.Time                   `json:"disabledUntil,omitempty" weft:"readonly"` // nil: for ever
}

// Kind returns KindIdentity.
func (*Identity) Kind() Kind { return KindIdentity }

// Disabled reports whether the identity is disabled at the given time.
func (i *Identity) Disabled(now time.Time) bool {
	return i.DisabledAt != nil && (i.DisabledUntil == nil || now.Before(*i.DisabledUntil))
}

// EnvInfo is what a client tells about its machine at login.
type EnvInfo struct {
	Arch      string `json:"arch,omitempty"`
	OS        string `json:"os,omitempty"`
	OSRelease string `json:"osRelease,omitempty"`
	OSVersion string `json:"osVersion,omitempty"`
	Domain    string `json:"domain,omitempty"`
	Hostname  string `json:"hostname,omitempty"`
}

// SdkInfo is what a client tells about its SDK and application at login.
type SdkInfo struct {
	AppID      string `json:"appId,omitempty"`
	AppVersion string `json:"appVersion,omitempty"`
	Branch     string `json:"branch,omitempty"`
	Revision   string `json:"revision,omitempty"`
	Type       string `json:"type,omitempty"`
	Version    string `json:"version,omitempty"`
}

// Interface is a network interface that a client or router reports.
type Interface struct {
	Name            string   `json:"name"`
	HardwareAddress string   `json:"hardwareAddress"`
	MTU             int64    `json:"mtu"`
	Index           int64    `json:"index"`
	IsBroadcast     bool     `json:"isBroadcast"`
	IsLoopback      bool     `json:"isLoopback"`
	IsMulticast     bool     `json:"isMulticast"`
	IsRunning       bool     `json:"isRunning"`
	IsUp            bool     `json:"isUp"`
	Addresses       []string `json:"addresses"`
}
