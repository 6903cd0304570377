package api

// PostureCheck is the detail of a posture check; typeId decides which members
// it has.
type PostureCheck struct {
	Base
	IsSystem              bool                `json:"isSystem,omitempty"`
	Domains               []string            `json:"domains,omitempty" api:"for=DOMAIN"`
	IgnoreLegacyEndpoints bool                `json:"ignoreLegacyEndpoints,omitempty" api:"for=MFA"`
	MacAddresses          []string            `json:"macAddresses,omitempty" api:"for=MAC"` // hex, lower case, no separators
	Name                  string              `json:"name"`
	OperatingSystems      []OperatingSystem   `json:"operatingSystems,omitempty" api:"for=OS"`
	Process               *PostureProcess     `json:"process,omitempty" api:"for=PROCESS"`
	Processes             []PostureAnyProcess `json:"processes,omitempty" api:"for=PROCESS_MULTI"`
	PromptOnUnlock        bool                `json:"promptOnUnlock,omitempty" api:"for=MFA"`
	PromptOnWake          bool                `json:"promptOnWake,omitempty" api:"for=MFA"`
	RoleAttributes        []string            `json:"roleAttributes"`
	Semantic              string              `json:"semantic,omitempty" api:"for=PROCESS_MULTI,enum=AllOf|AnyOf"`
	TimeoutSeconds        int64               `json:"timeoutSeconds,omitempty" api:"for=MFA"` // -1: none
	TypeID                string              `json:"typeId" api:"enum=OS|PROCESS|DOMAIN|MAC|MFA|PROCESS_MULTI"`
	Version               int64               `json:"version"` // counts the changes
}

// Variants implements Variants.
func (PostureCheck) Variants() (by string, values []string) {
	return "typeId", []string{"OS", "PROCESS", "DOMAIN", "MAC", "MFA", "PROCESS_MULTI"}
}

// OperatingSystem is an operating system with the versions of it that pass.
type OperatingSystem struct {
	Type     string   `json:"type"`
	Versions []string `json:"versions" api:"null"`
}

// PostureProcess is a program that has to run.
type PostureProcess struct {
	Hashes            []string `json:"hashes"`
	OsType            string   `json:"osType"`
	Path              string   `json:"path"`
	SignerFingerprint string   `json:"signerFingerprint,omitempty"`
}

// PostureAnyProcess is one of several programs.
type PostureAnyProcess struct {
	Hashes             []string `json:"hashes"`
	OsType             string   `json:"osType"`
	Path               string   `json:"path"`
	SignerFingerprints []string `json:"signerFingerprints"`
}

// PostureCheckInput is what a caller may set on a posture check; typeId decides
// which members count.
type PostureCheckInput struct {
	Domains               []string                 `json:"domains,omitempty" api:"for=DOMAIN"`
	IgnoreLegacyEndpoints *bool                    `json:"ignoreLegacyEndpoints,omitempty" api:"for=MFA"`
	MacAddresses          []string                 `json:"macAddresses,omitempty" api:"for=MAC"`
	Name                  *string                  `json:"name,omitempty" api:"req=cu"`
	OperatingSystems      []OperatingSystemInput   `json:"operatingSystems,omitempty" api:"for=OS"`
	Process               *PostureProcessInput     `json:"process,omitempty" api:"for=PROCESS"`
	Processes             []PostureAnyProcessInput `json:"processes,omitempty" api:"for=PROCESS_MULTI"`
	PromptOnUnlock        *bool                    `json:"promptOnUnlock,omitempty" api:"for=MFA"`
	PromptOnWake          *bool                    `json:"promptOnWake,omitempty" api:"for=MFA"`
	RoleAttributes        []string                 `json:"roleAttributes,omitempty"`
	Semantic              *string                  `json:"semantic,omitempty" api:"for=PROCESS_MULTI,enum=AllOf|AnyOf"`
	Tags                  Tags                     `json:"tags,omitempty"`
	TimeoutSeconds        *int64                   `json:"timeoutSeconds,omitempty" api:"for=MFA"` // 0 or less: none
	TypeID                *string                  `json:"typeId,omitempty" api:"req=cup,enum=OS|PROCESS|DOMAIN|MAC|MFA|PROCESS_MULTI"`
}

// Variants implements Variants.
func (PostureCheckInput) Variants() (by string, values []string) { return PostureCheck{}.Variants() }

// OperatingSystemInput is an operating system with the versions that pass, all
// when there are none.
type OperatingSystemInput struct {
	Type     *string  `json:"type,omitempty" api:"req=cup,enum=Windows|WindowsServer|Android|iOS|Linux|macOS"`
	Versions []string `json:"versions,omitempty" api:"req=cup"` // semantic versions or ranges of them
}

// PostureProcessInput is a program that has to run.
type PostureProcessInput struct {
	Hashes            []string `json:"hashes,omitempty"`
	OsType            *string  `json:"osType,omitempty" api:"req=cu,enum=Windows|WindowsServer|Android|iOS|Linux|macOS"`
	Path              *string  `json:"path,omitempty" api:"req=cu"`
	SignerFingerprint *string  `json:"signerFingerprint,omitempty"`
}

// PostureAnyProcessInput is one of several programs.
type PostureAnyProcessInput struct {
	Hashes             []string `json:"hashes,omitempty"`
	OsType             *string  `json:"osType,omitempty" api:"req=cup,enum=Windows|WindowsServer|Android|iOS|Linux|macOS"`
	Path               *string  `json:"path,omitempty" api:"req=cup"`
	SignerFingerprints []string `json:"signerFingerprints,omitempty"`
}

// PostureCheckType is a type of posture checks.
type PostureCheckType struct {
	Base
	Name             string            `json:"name"`
	OperatingSystems []OperatingSystem `json:"operatingSystems"`
	Version          *string           `json:"version"`
}

func postureChecks() []Operation {
	types := reading[PostureCheckType](resource{"posture-check-types", "PostureCheckType", "PostureCheckTypes", "", "Posture Checks"})
	for i := range types {
		types[i].Access = Access{Rule: Authenticated}
	}
	return append(crud[PostureCheck, PostureCheckInput](resource{"posture-checks", "PostureCheck", "PostureChecks", "posture-check", "Posture Checks"}, byRoles()...), types...)
}
