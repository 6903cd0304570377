package model

// Service is something that identities host and dial.
type Service struct {
	Base
	Name               string   `json:"name" weft:"create,update,patch,required,filter"`
	TerminatorStrategy string   `json:"terminatorStrategy" weft:"create,update,patch,filter"`
	EncryptionRequired bool     `json:"encryptionRequired,omitempty" weft:"create,update,required"`
	MaxIdleTimeMillis  int64    `json:"maxIdleTimeMillis,omitempty" weft:"create,update,patch"` // 0: never
	RoleAttributes     []string `json:"roleAttributes,omitempty" weft:"create,update,patch,filter"`
	Configs            []string `json:"configs,omitempty" weft:"create,update,patch,filter"` // config ids, at most one per config type
}

// Kind returns KindService.
func (*Service) Kind() Kind { return KindService }

// Strategies by which a terminator of a service is chosen.
const (
	StrategySmartRouting = "smartrouting"
	StrategyWeighted     = "weighted"
	StrategyRandom       = "random"
	StrategySticky       = "sticky"
)
