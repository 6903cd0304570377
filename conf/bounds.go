package conf

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// bounds holds a value to min and max of its field: it refuses it, or sets
// the bound or the default with a warning where the field says so.
func (d *decoder) bounds(line int, path string, f *field, target reflect.Value) {
	bound, ok := outside(f, target)
	if !ok {
		return
	}
	found := textOf(f, target)
	switch f.clamp {
	case "bound":
		d.set(target, f, bound)
		d.warnAt(line, path, fmt.Sprintf("%s is out of bounds, using %s", found, bound), "write "+expected(f))
	case "default":
		d.set(target, f, f.def)
		d.warnAt(line, path, fmt.Sprintf("%s is out of bounds, using the default %s", found, f.def), "write "+expected(f))
	default:
		d.refuseAt(line, path, "expected "+expected(f)+", found "+found, "")
	}
}

// outside returns the bound that the value breaks.
func outside(f *field, v reflect.Value) (bound string, broken bool) {
	for _, side := range []struct {
		text string
		sign float64
	}{{f.min, 1}, {f.max, -1}} {
		if side.text == "" {
			continue
		}
		if limit, ok := number(f, side.text); ok && (amount(v)-limit)*side.sign < 0 {
			return side.text, true
		}
	}
	return "", false
}

// number reads a bound; those of durations are durations, or numbers of the
// field's unit.
func number(f *field, text string) (float64, bool) {
	if f.typ == durationType {
		d, err := parseDuration(text, f.unit)
		return float64(d), err == nil
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

func amount(v reflect.Value) float64 {
	if v.Kind() == reflect.Float64 {
		return v.Float()
	}
	if v.CanInt() {
		return float64(v.Int())
	}
	return 0
}

func textOf(f *field, v reflect.Value) string {
	if f.typ == durationType {
		d := time.Duration(v.Int())
		if f.unit != "" {
			return strconv.FormatInt(int64(d/units[f.unit]), 10)
		}
		return d.String()
	}
	return fmt.Sprint(v.Interface())
}
