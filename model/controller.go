package model

import "time"

// Controller is one member of the cluster as clients see it.
type Controller struct {
	Base
	Name              string                  `json:"name" weft:"readonly,filter"`
	CtrlAddress       string                  `json:"ctrlAddress,omitempty" weft:"readonly,filter"`
	CertPem           string                  `json:"certPem" weft:"readonly,filter"`
	Fingerprint       string                  `json:"fingerprint" weft:"readonly,filter"`
	IsOnline          bool                    `json:"isOnline" weft:"readonly,filter"`
	IsPreferredLeader bool                    `json:"isPreferredLeader,omitempty" weft:"readonly,filter"`
	LastJoinedAt      time.Time               `json:"lastJoinedAt" weft:"readonly,filter"`
	APIAddresses      map[string][]APIAddress `json:"apiAddresses,omitempty" weft:"readonly"` // by binding
}

// Kind returns KindController.
func (*Controller) Kind() Kind { return KindController }

// APIAddress is one URL of an API.
type APIAddress struct {
	URL     string `json:"url"`
	Version string `json:"version"`
}
