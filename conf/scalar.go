package conf

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// envTag marks a plain scalar that came out of an environment variable: it
// may become whatever type the key wants.
const envTag = "env"

var variable = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)

// expand replaces $NAME and ${NAME} in a text value. An unset variable
// becomes the empty text, with a warning.
func (d *decoder) expand(n *yaml.Node, path string) (text, tag string) {
	if n.ShortTag() != "!!str" || !strings.Contains(n.Value, "$") {
		return n.Value, n.ShortTag()
	}
	text = variable.ReplaceAllStringFunc(n.Value, func(ref string) string {
		name := strings.Trim(ref, "${}")
		value, ok := d.env(name)
		if !ok && (name == "TMP" || name == "TEMP" || name == "TMPDIR") {
			return os.TempDir()
		}
		if !ok {
			d.warnAt(n.Line, path, "environment variable "+name+" is not set and counts as empty", "set it")
		}
		return value
	})
	if n.Style == 0 && text != n.Value {
		return text, envTag
	}
	return text, "!!str"
}

// kindMismatch returns a remedy when a scalar has the wrong YAML type.
func kindMismatch(f *field, tag string, n *yaml.Node) string {
	if tag == envTag {
		return ""
	}
	ok, remedy := true, ""
	switch k := f.typ.Kind(); {
	case f.typ == durationType && f.unit == "":
		ok, remedy = tag == "!!str" || n.Value == "0", "write the number with its unit, for example "+exampleDuration(n.Value)
	case f.typ == durationType, k == reflect.Int:
		ok, remedy = tag == "!!int", "write the bare number"
	case k == reflect.Float64:
		ok, remedy = tag == "!!int" || tag == "!!float", "write the bare number"
	case k == reflect.Bool:
		ok, remedy = tag == "!!bool" || tag == "!!str", "write true or false"
	case k == reflect.String:
		ok, remedy = tag == "!!str", "put the value in quotes"
	}
	if ok {
		return ""
	}
	return remedy
}

func exampleDuration(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return text + "s"
	}
	return "5s"
}

// errMisfit is a text of the wrong form; what is expected says enough.
var errMisfit = errors.New("")

// setScalar parses text into target.
func setScalar(target reflect.Value, f *field, text string) error {
	switch target.Type() {
	case durationType:
		v, err := parseDuration(text, f.unit)
		target.SetInt(int64(v))
		return err
	case addressType:
		v, err := parseAddress(text, f)
		target.Set(reflect.ValueOf(v))
		return err
	case hostPortType:
		v, err := ParseHostPort(text)
		target.Set(reflect.ValueOf(v))
		return err
	case prefixType:
		v, err := netip.ParsePrefix(text)
		target.Set(reflect.ValueOf(v))
		return err
	}
	switch target.Kind() {
	case reflect.String:
		if f.oneof != nil && !slices.Contains(f.oneof, text) {
			return errMisfit
		}
		target.SetString(text)
	case reflect.Int:
		v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
		if err != nil || f.oneof != nil && !slices.Contains(f.oneof, strconv.FormatInt(v, 10)) {
			return errMisfit
		}
		target.SetInt(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		target.SetFloat(v)
		return err
	case reflect.Bool:
		v, ok := booleans[strings.ToLower(text)]
		target.SetBool(v)
		if !ok {
			return errMisfit
		}
	}
	return nil
}

// booleans are those of YAML 1.1.
var booleans = map[string]bool{
	"true": true, "yes": true, "on": true, "y": true,
	"false": false, "no": false, "off": false, "n": false,
}

func parseDuration(text, unit string) (time.Duration, error) {
	switch unit {
	case "ms", "s":
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil || n > int64(1<<62)/int64(units[unit]) || n < -int64(1<<62)/int64(units[unit]) {
			return 0, errMisfit
		}
		return time.Duration(n) * units[unit], nil
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return 0, errMisfit
	}
	return v, nil
}

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second}

func parseAddress(text string, f *field) (Address, error) {
	if f.bare != "" {
		if hp, err := ParseHostPort(text); err == nil {
			return Address{Type: f.bare, Host: hp.Host, Port: hp.Port}, nil
		}
	}
	a, err := ParseAddress(text)
	if err != nil {
		return a, err
	}
	if f.types != nil && !slices.Contains(f.types, a.Type) {
		return a, errors.New("type " + strconv.Quote(a.Type) + " does not work here")
	}
	return a, nil
}

// expected says what a key wants, with bounds.
func expected(f *field) string {
	if f.oneof != nil {
		return strings.Join(f.oneof, ", ")
	}
	return noun(f) + boundsText(f)
}

func noun(f *field) string {
	switch f.typ {
	case durationType:
		switch f.unit {
		case "ms":
			return "a whole number of milliseconds"
		case "s":
			return "a whole number of seconds"
		}
		return "a duration such as 5s or 1m30s"
	case addressType:
		kind := "tls"
		if len(f.types) > 0 {
			kind = f.types[0]
		}
		return "an address such as " + kind + ":host:port"
	case hostPortType:
		return "host:port"
	case prefixType:
		return "an address range such as 100.64.0.0/10"
	}
	if elem, below := sectionBelow(f.typ); elem != nil {
		what := "a section"
		switch below {
		case "[]":
			what = "a list of sections"
		case ".NAME":
			what = "sections under names of your own,"
		}
		return what + requiredKeys(elem)
	}
	switch f.typ.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "text"
}

// requiredKeys names the keys that a section cannot be without.
func requiredKeys(t reflect.Type) string {
	var names []string
	for _, f := range fieldsOf(t) {
		if f.required {
			names = append(names, f.name)
		}
	}
	if names == nil {
		return " of keys"
	}
	return " with " + strings.Join(names, ", ")
}

func boundsText(f *field) string {
	switch {
	case f.min != "" && f.max != "":
		return fmt.Sprintf(" from %s to %s", f.min, f.max)
	case f.min != "":
		return " of at least " + f.min
	case f.max != "":
		return " of at most " + f.max
	}
	return ""
}
