package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
)

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

	TimeoutSeconds        int64 `json:"timeoutSeconds,omitempty" weft:"create,update,patch"` // MFA; -1: none
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

// settlePosture clears what does not belong to the type and brings values into
// the form in which they are compared.
func settlePosture(p *PostureCheck) {
	c := PostureCheck{Base: p.Base, Name: p.Name, TypeID: p.TypeID, RoleAttributes: set(p.RoleAttributes), Version: p.Version}
	switch p.TypeID {
	case PostureOS:
		c.OperatingSystems = slices.Clone(p.OperatingSystems)
		slices.SortStableFunc(c.OperatingSystems, func(a, b OperatingSystem) int { return strings.Compare(a.Type, b.Type) })
	case PostureDomain:
		c.Domains = set(p.Domains)
	case PostureMAC:
		c.MacAddresses = set(lower(p.MacAddresses, macSeparators.Replace))
	case PostureProcess:
		if p.Process != nil {
			x := *p.Process
			x.Hashes, x.SignerFingerprint = lower(x.Hashes, nil), strings.ToLower(x.SignerFingerprint)
			c.Process = &x
		}
	case PostureProcessMulti:
		c.Semantic, c.Processes = p.Semantic, slices.Clone(p.Processes)
		for i := range c.Processes {
			x := &c.Processes[i]
			x.Hashes, x.SignerFingerprints = lower(x.Hashes, nil), lower(x.SignerFingerprints, nil)
		}
	case PostureMFA:
		c.TimeoutSeconds, c.PromptOnWake, c.PromptOnUnlock = p.TimeoutSeconds, p.PromptOnWake, p.PromptOnUnlock
		c.IgnoreLegacyEndpoints = p.IgnoreLegacyEndpoints
		if c.TimeoutSeconds <= 0 {
			c.TimeoutSeconds = -1
		}
	}
	*p = c
}

var macSeparators = strings.NewReplacer(":", "", "-", "", ".", "", " ", "")

// lower returns the values in lower case, each changed by f unless that is nil.
func lower(values []string, f func(string) string) []string {
	if len(values) == 0 {
		return nil
	}
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = strings.ToLower(v); f != nil {
			out[i] = f(out[i])
		}
	}
	return out
}

func checkPosture(p *PostureCheck) error {
	if err := firstOf(named(p.Name), oneOf("typeId", p.TypeID, PostureTypes()...), attributes("roleAttributes", p.RoleAttributes)); err != nil {
		return err
	}
	switch p.TypeID {
	case PostureOS:
		return checkSystems(p.OperatingSystems)
	case PostureDomain:
		return firstOf(some("domains", p.Domains), filled("domains", p.Domains))
	case PostureMAC:
		return checkMACs(p.MacAddresses)
	case PostureProcess:
		if p.Process == nil {
			return fault.CouldNotValidate.Field("process", "process in body is required", nil)
		}
		return firstOf(oneOf("process.osType", p.Process.OSType, OSTypes()...), required("process.path", p.Process.Path))
	case PostureProcessMulti:
		if err := firstOf(some("processes", p.Processes), oneOf("semantic", p.Semantic, AllOf, AnyOf)); err != nil {
			return err
		}
		for i, x := range p.Processes {
			name := fmt.Sprintf("processes.%d", i)
			if err := firstOf(oneOf(name+".osType", x.OSType, OSTypes()...), required(name+".path", x.Path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// versionRange is one alternative of a range: comparisons of versions with
// three parts, each of which may be a wildcard.
var versionRange = regexp.MustCompile(`^\s*((([<>]=?|==?|!=?)\s*)?(0|[1-9]\d{0,17})(\.(0|[1-9]\d{0,17}|[xX*])){2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?(\s+|$))+$`)

func checkSystems(systems []OperatingSystem) error {
	if err := some("operatingSystems", systems); err != nil {
		return err
	}
	for i, s := range systems {
		name := fmt.Sprintf("operatingSystems.%d", i)
		if err := oneOf(name+".type", s.Type, OSTypes()...); err != nil {
			return err
		}
		for j, v := range s.Versions {
			for part := range strings.SplitSeq(v, "||") {
				if !versionRange.MatchString(part) {
					return fault.CouldNotValidate.Field(fmt.Sprintf("%s.versions.%d", name, j),
						"versions are ranges of semantic versions with three parts, such as 10.0.0 or >=10.0.0 <11.0.0", v)
				}
			}
		}
	}
	return nil
}

func checkMACs(addresses []string) error {
	for i, a := range addresses {
		if len(a) == 0 || len(a)%2 != 0 || strings.Trim(a, "0123456789abcdef") != "" {
			return fault.CouldNotValidate.Field(fmt.Sprintf("macAddresses.%d", i), "a MAC address is hexadecimal, with or without separators", a)
		}
	}
	return some("macAddresses", addresses)
}

// some wants at least one element.
func some[T any](field string, values []T) error {
	if len(values) == 0 {
		return fault.CouldNotValidate.Field(field, field+" in body should have at least 1 items", "[]")
	}
	return nil
}

// filled wants no empty text.
func filled(field string, values []string) error {
	if i := slices.Index(values, ""); i >= 0 {
		return required(fmt.Sprintf("%s.%d", field, i), "")
	}
	return nil
}
