package policy

import (
	"fmt"
	"strings"
)

func (v *View) unknown(identityID, serviceID string, identity bool) Decision {
	if identity {
		return Decision{Code: IdentityUnknown, Rule: fmt.Sprintf("identity %q does not exist", identityID),
			Remedy: "log in again with an identity that exists"}
	}
	return Decision{Code: ServiceUnknown, Rule: fmt.Sprintf("service %q does not exist", serviceID),
		Remedy: "list the services that are visible to the identity"}
}

// noServicePolicy says how far the policies come: how many contain the
// identity and how many the service, though none contains both.
func (v *View) noServicePolicy(a Action, identity *Identity, service *Service) Decision {
	r := relationOf(a)
	if both := v.Granting(r, identity.ID, service.ID); len(both) > 0 {
		return v.postureUnknown(both)
	}
	code := NoDialPolicy
	if a == Bind {
		code = NoBindPolicy
	}
	ofIdentity := v.PoliciesOf(r, KindIdentity, identity.ID)
	ofService := v.PoliciesOf(r, KindService, service.ID)
	rule := fmt.Sprintf("no %s service policy contains both identity %q and service %q", a, identity.Name, service.Name)
	switch {
	case len(ofIdentity) == 0:
		rule += fmt.Sprintf("; none contains the identity (attributes %s)", attributeText(identity.Attributes))
	case len(ofService) == 0:
		rule += fmt.Sprintf("; none contains the service (attributes %s)", attributeText(service.Attributes))
	default:
		rule += fmt.Sprintf("; the identity is in %s, the service in %s", policyNames(ofIdentity), policyNames(ofService))
	}
	return Decision{Code: code, Rule: rule,
		Remedy: fmt.Sprintf("weft create service-policy NAME %s --identity-roles '@%s' --service-roles '@%s'", a, identity.Name, service.Name)}
}

func attributeText(attributes []string) string {
	if len(attributes) == 0 {
		return "none"
	}
	return "#" + strings.Join(attributes, " #")
}

const maxNames = 3

func policyNames(policies []Entity) string {
	var names []string
	for i, p := range policies {
		if i == maxNames {
			names = append(names, fmt.Sprintf("%d more", len(policies)-maxNames))
			break
		}
		if sp, ok := p.(*ServicePolicy); ok {
			names = append(names, fmt.Sprintf("%q", sp.Name))
		}
	}
	return strings.Join(names, ", ")
}
