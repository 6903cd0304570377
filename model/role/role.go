// Package role holds the role expressions of policies and lists: which
// entities a list of `#attribute`, `@id` and `#all` entries selects. All
// functions are pure; a Set is safe for concurrent reading.
package role

import (
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
)

// Semantic says how the attributes of one role list combine.
type Semantic uint8

// The semantics. AllOf is the default of stored policies.
const (
	AllOf Semantic = iota
	AnyOf
)

// String returns the name used in the API.
func (s Semantic) String() string {
	if s == AnyOf {
		return "AnyOf"
	}
	return "AllOf"
}

// ParseSemantic reads a semantic, ignoring case; the empty text is AllOf. field
// names the member in the refusal, a fault.CouldNotValidate.
func ParseSemantic(field, text string) (Semantic, error) {
	switch {
	case text == "" || strings.EqualFold(text, "AllOf"):
		return AllOf, nil
	case strings.EqualFold(text, "AnyOf"):
		return AnyOf, nil
	}
	return AllOf, fault.CouldNotValidate.Field(field, "semantic must be AllOf or AnyOf", text)
}

// Set is a parsed role list. The zero Set selects nothing.
type Set struct {
	All        bool     // #all
	IDs        []string // of @id entries, sorted, unique
	Attributes []string // of #attribute entries, sorted, unique
}

// Parse reads the entries of a role list. field names the member in the
// refusal, a fault.CouldNotValidate; whether the ids exist is not checked.
func Parse(field string, entries []string) (Set, error) {
	var s Set
	for _, e := range entries {
		switch {
		case e == "#all":
			s.All = true
		case len(e) > 1 && e[0] == '#':
			s.Attributes = append(s.Attributes, e[1:])
		case len(e) > 1 && e[0] == '@':
			s.IDs = append(s.IDs, e[1:])
		default:
			return Set{}, fault.CouldNotValidate.Field(field,
				"role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)", entries)
		}
	}
	if s.All && len(entries) > 1 {
		return Set{}, fault.CouldNotValidate.Field(field,
			"if using #all, it should be the only role specified", entries)
	}
	s.IDs, s.Attributes = unique(s.IDs), unique(s.Attributes)
	return s, nil
}

// Entries returns the role list in its text form: ids first, then attributes.
func (s Set) Entries() []string {
	if s.All {
		return []string{"#all"}
	}
	out := make([]string, 0, len(s.IDs)+len(s.Attributes))
	for _, id := range s.IDs {
		out = append(out, "@"+id)
	}
	for _, a := range s.Attributes {
		out = append(out, "#"+a)
	}
	return out
}

// Empty reports whether s selects nothing.
func (s Set) Empty() bool { return !s.All && len(s.IDs) == 0 && len(s.Attributes) == 0 }

// Equal reports whether s and t hold the same entries.
func (s Set) Equal(t Set) bool {
	return s.All == t.All && slices.Equal(s.IDs, t.IDs) && slices.Equal(s.Attributes, t.Attributes)
}

// Match reports whether s selects the entity with this id and these
// attributes, which must be sorted (see Attributes). It does not allocate.
func (s Set) Match(sem Semantic, id string, attributes []string) bool {
	return s.MatchAttributes(sem, attributes) || s.MatchID(id)
}

// MatchID reports whether s lists the id.
func (s Set) MatchID(id string) bool {
	_, ok := slices.BinarySearch(s.IDs, id)
	return ok
}

// MatchAttributes reports whether s selects every entity with these sorted
// attributes, whatever its id.
func (s Set) MatchAttributes(sem Semantic, attributes []string) bool {
	if s.All {
		return true
	}
	if len(s.Attributes) == 0 {
		return false
	}
	for _, a := range s.Attributes {
		if _, ok := slices.BinarySearch(attributes, a); ok != (sem == AllOf) {
			return ok
		}
	}
	return sem == AllOf
}

// Attributes returns the role attributes of an entity as a sorted set. It
// refuses texts that are empty or begin with # or @ with a
// fault.CouldNotValidate that names the field.
func Attributes(field string, attributes []string) ([]string, error) {
	for _, a := range attributes {
		switch {
		case a == "":
			return nil, fault.CouldNotValidate.Field(field, "role attributes may not be empty", attributes)
		case a[0] == '#':
			return nil, fault.CouldNotValidate.Field(field, "role attributes may not be prefixed with #", attributes)
		case a[0] == '@':
			return nil, fault.CouldNotValidate.Field(field, "role attributes may not be prefixed with @", attributes)
		}
	}
	return unique(attributes), nil
}

func unique(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	out := slices.Clone(in)
	slices.Sort(out)
	return slices.Compact(out)
}
