package model

// Types of a posture check, which are their ids in the API as well.
const (
	PostureOS           = "OS"
	PostureProcess      = "PROCESS"
	PostureProcessMulti = "PROCESS_MULTI"
	PostureDomain       = "DOMAIN"
	PostureMAC          = "MAC"
	PostureMFA          = "MFA"
)

// PostureTypes returns the types of posture checks in the order in which
// refusals name them.
func PostureTypes() []string {
	return []string{PostureOS, PostureProcess, PostureDomain, PostureMAC, PostureMFA, PostureProcessMulti}
}

// OSTypes returns the operating systems that a check may name.
func OSTypes() []string {
	return []string{"Windows", "WindowsServer", "Android", "iOS", "Linux", "macOS"}
}

// PostureCheck is a condition on the device or session of an identity. The
// members of types other than TypeID are empty.
type PostureCheck struct {
	Base
	Name           string   `json:"name" weft:"create,update,patch,required,filter"`
	TypeID         string   `json:"typeId" weft:"create,required,filter"` // never changes
	RoleAttributes []string `json:"roleAttributes,omitempty" weft:"create,update,patch,filter"`
	Version        int64    `json:"version,omitempty" weft:"readonly"` // counts the changes

	OperatingSystems []OperatingSystem `json:"operatingSystems,omitempty" weft:"create,update,patch"` // OS
	Domains          []string          `json:"domains,omitempty" weft:"create,update,patch"`          // DOMAIN
	MacAddresses     []string          `json:"macAddresses,omitempty" weft:"create,update,patch"`     // MAC: lower-case hex without separators
	Process          *Process          `json:"process,omitempty" weft:"create,update,patch"`          // PROCESS
	Processes        []ProcessMulti    `json:"processes,omitempty" weft:"create,update,patch"`        // PROCESS_MULTI
	Semantic         string            `json:"semantic,omitempty" weft:"create,update,patch"`         // PROCESS_MULTI: AllOf or AnyOf

	TimeoutSeconds        int64 `json:"timeoutSeconds,omitempty" weft:"create,update,patch"` // MFA; 0 and -1: none
	PromptOnWake          bool  `json:"promptOnWake,omitempty" weft:"create,update,patch,filter"`
	PromptOnUnlock        bool  `json:"promptOnUnlock,omitempty" weft:"create,update,patch,filter"`
	IgnoreLegacyEndpoints bool  `json:"ignoreLegacyEndpoints,omitempty" weft:"create,update,patch"`
}

// Kind returns KindPostureCheck.
func (*PostureCheck) Kind() Kind { return KindPostureCheck }

// OperatingSystem is an operating system and the versions of it that pass, all
// when empty.
type OperatingSystem struct {
	Type     string   `json:"type"`
	Versions []string `json:"versions"` // semantic versions or ranges of them
}

// Process is a program that has to run.
type Process struct {
	OSType            string   `json:"osType"`
	Path              string   `json:"path"`
	Hashes            []string `json:"hashes,omitempty"`            // lower case
	SignerFingerprint string   `json:"signerFingerprint,omitempty"` // lower case
}

// ProcessMulti is a program that has to run, signed by any of several signers.
type ProcessMulti struct {
	OSType             string   `json:"osType"`
	Path               string   `json:"path"`
	Hashes             []string `json:"hashes,omitempty"`
	SignerFingerprints []string `json:"signerFingerprints,omitempty"`
}
