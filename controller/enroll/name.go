package enroll

import (
	"crypto/x509"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

const (
	maxName    = 256    // characters of a name that a client has a say in
	maxSuffix  = 999999 // of names that are taken
	nameTrials = 64     // writes that lose their name to others at the same time
)

// nameOf builds the name of an identity that a certificate enrols. Place holders
// in what the client chose are not replaced again.
func nameOf(ca *model.CA, leaf *x509.Certificate, identityID, requested string) (string, error) {
	format := ca.IdentityNameFormat
	if format == "" {
		format = model.DefaultIdentityNameFormat
	}
	if requested == "" {
		requested = identityID
	}
	name := strings.NewReplacer(
		"[caName]", ca.Name, "[caId]", ca.ID, "[commonName]", leaf.Subject.CommonName,
		"[requestedName]", requested, "[identityId]", identityID,
	).Replace(format)
	if err := usableName(name); err != nil {
		return "", err
	}
	return name, nil
}

// usableName refuses names that others could not read or would mistake.
func usableName(name string) error {
	refuse := func(reason string) error { return fault.CouldNotValidate.Field("name", reason, nil) }
	switch {
	case strings.TrimSpace(name) == "":
		return refuse("the name of the identity would be empty")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return refuse("the name of the identity would contain control characters")
	case utf8.RuneCountInString(name) > maxName:
		return refuse(fmt.Sprintf("the name of the identity would be longer than %d characters", maxName))
	}
	return nil
}

// createNamed writes an identity under the name or, if that is taken, under the
// first free one with a number of six digits behind it.
func (n *Enroller) createNamed(v *state.View, i *model.Identity, name string, write func() error) error {
	var err error
	suffix := 0
	for range nameTrials {
		for i.Name = numbered(name, suffix); taken(v, i.Name); i.Name = numbered(name, suffix) {
			if suffix++; suffix > maxSuffix {
				return fault.CouldNotValidate.Field("name", "every numbered form of the name is in use", name)
			}
		}
		if err = write(); err == nil {
			return nil
		}
		if v = n.deps.Store.View(); !taken(v, i.Name) {
			return err // refused for something else
		}
	}
	return err
}

func taken(v *state.View, name string) bool {
	return state.FirstBy[model.Identity](v, state.ByName, name) != nil
}

func numbered(name string, suffix int) string {
	if suffix == 0 {
		return name
	}
	return fmt.Sprintf("%s%06d", name, suffix)
}
