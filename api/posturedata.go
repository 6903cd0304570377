package api

import "time"

// PostureData is what the clients of an identity have told about their machines.
type PostureData struct {
	APISessions map[string]PostureSession `json:"apiSessionPostureData"` // by id
	Domain      PostureDomain             `json:"domain"`
	Mac         PostureMac                `json:"mac"`
	Os          PostureOs                 `json:"os"`
	Processes   []PostureProcessData      `json:"processes"`
}

// PostureBase are the members of every part.
type PostureBase struct {
	LastUpdatedAt  *time.Time `json:"lastUpdatedAt"`
	PostureCheckID string     `json:"postureCheckId"`
	TimedOut       bool       `json:"timedOut"`
}

// PostureDomain is the domain of the machine.
type PostureDomain struct {
	PostureBase
	Domain *string `json:"domain"`
}

// PostureMac are the hardware addresses of the machine.
type PostureMac struct {
	PostureBase
	Addresses []string `json:"addresses" api:"null"`
}

// PostureOs is the operating system of the machine.
type PostureOs struct {
	PostureBase
	Build   *string `json:"build"`
	Type    *string `json:"type"`
	Version *string `json:"version"`
}

// PostureProcessData is one process of the machine.
type PostureProcessData struct {
	PostureBase
	BinaryHash         string   `json:"binaryHash"`
	IsRunning          bool     `json:"isRunning"`
	SignerFingerprints []string `json:"signerFingerprints"`
}

// PostureSession is what is known of one API session.
type PostureSession struct {
	EndpointState *PostureEndpoint `json:"endpointState,omitempty"`
	Mfa           PostureMfa       `json:"mfa"`
	SdkInfo       SdkInfo          `json:"sdkInfo"`
}

// PostureEndpoint is when the machine woke and was unlocked.
type PostureEndpoint struct {
	UnlockedAt *time.Time `json:"unlockedAt"`
	WokenAt    *time.Time `json:"wokenAt"`
}

// PostureMfa is what is known of the second factor.
type PostureMfa struct {
	APISessionID   string     `json:"apiSessionId"`
	PassedAt       *time.Time `json:"passedAt"`
	PassedMfa      bool       `json:"passedMfa"`
	PassedOnUnlock *bool      `json:"passedOnUnlock"`
	PassedOnWake   *bool      `json:"passedOnWake"`
}
