package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/weftnet/weft/fault"
)

// root is the name of the outermost object in refusals.
const root = "(root)"

// refusal turns the first violation into a field error whose text has the form
// that clients of the ecosystem know.
func refusal(err error, data any) error {
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return fault.CouldNotValidate.Field("data", err.Error(), nil)
	}
	leaf := firstLeaf(ve)
	field := root
	if len(leaf.InstanceLocation) > 0 {
		field = strings.Join(leaf.InstanceLocation, ".")
	}
	value := at(data, leaf.InstanceLocation)
	reason := fmt.Sprintf("%s is invalid: %s: %s", field, field, describe(leaf.ErrorKind, field, value))
	return fault.CouldNotValidate.Field(field, reason, value)
}

// firstLeaf returns the violation that comes first by place and then by text,
// so that the same data always gets the same answer. Where alternatives were
// tried, their summary stands for them.
func firstLeaf(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not:
		return e
	}
	if len(e.Causes) == 0 {
		return e
	}
	leaves := make([]*jsonschema.ValidationError, len(e.Causes))
	for i, c := range e.Causes {
		leaves[i] = firstLeaf(c)
	}
	return slices.MinFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		if c := slices.Compare(a.InstanceLocation, b.InstanceLocation); c != 0 {
			return c
		}
		return strings.Compare(describe(a.ErrorKind, "", nil), describe(b.ErrorKind, "", nil))
	})
}

func describe(k jsonschema.ErrorKind, field string, value any) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("Invalid type. Expected: %s, given: %s", strings.Join(k.Want, ","), given(k.Got, value))
	case *kind.Required:
		return slices.Min(k.Missing) + " is required"
	case *kind.AdditionalProperties:
		return "Additional property " + slices.Min(k.Properties) + " is not allowed"
	case *kind.Enum:
		return field + " must be one of the following: " + quoted(k.Want)
	case *kind.Const:
		return field + " does not match: " + text(k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("Array must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("Array must have at most %d items", k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("array items[%d,%d] must be unique", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinLength:
		return fmt.Sprintf("String length must be greater than or equal to %d", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("String length must be less than or equal to %d", k.Want)
	case *kind.Pattern:
		return "Does not match pattern '" + k.Want + "'"
	case *kind.Format:
		return "Does not match format '" + k.Want + "'"
	case *kind.Minimum:
		return "Must be greater than or equal to " + number(k.Want)
	case *kind.Maximum:
		return "Must be less than or equal to " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "Must be greater than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "Must be less than " + number(k.Want)
	case *kind.OneOf:
		return "Must validate one and only one schema (oneOf)"
	case *kind.AnyOf:
		return "Must validate at least one schema (anyOf)"
	case *kind.Not:
		return "Must not validate the schema (not)"
	case *kind.FalseSchema:
		return "False always fails validation"
	}
	return "Does not satisfy " + strings.Join(k.KeywordPath(), "/")
}

// given names the type of a value; whole numbers count as integers.
func given(got string, value any) string {
	if n, ok := value.(json.Number); ok {
		if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
			return "integer"
		}
	}
	return got
}

func quoted(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = text(v)
	}
	return strings.Join(out, ", ")
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// at returns the part of data at a place.
func at(data any, place []string) any {
	for _, p := range place {
		switch d := data.(type) {
		case map[string]any:
			data = d[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(d) {
				return nil
			}
			data = d[i]
		default:
			return nil
		}
	}
	return data
}
