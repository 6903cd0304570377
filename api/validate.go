package api

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/weftnet/weft/fault"
)

// Validator checks decoded request bodies of one type against their
// description. It is compiled once and safe for concurrent use.
type Validator struct {
	name   string
	slice  bool
	fields []checked
	drop   [][]int // members that do not belong to the mode
}

type checked struct {
	Field
	inner *Validator
}

// NewValidator compiles the checks of a body.
func NewValidator(b *Body) *Validator { return compileChecks(b.Name, b.Type, b.Mode) }

func compileChecks(name string, t reflect.Type, m Mode) *Validator {
	v := &Validator{name: name}
	if t.Kind() == reflect.Slice {
		v.slice, t = true, t.Elem()
	}
	for _, f := range Fields(t, AllModes) {
		if f.In&m == 0 {
			v.drop = append(v.drop, f.Index)
			continue
		}
		c := checked{Field: f}
		c.Required &= m
		if e := element(f.Type); e.Kind() == reflect.Struct && e.PkgPath() == typeOf[Field]().PkgPath() {
			c.inner = compileChecks(f.Name, f.Type, m)
		}
		v.fields = append(v.fields, c)
	}
	return v
}

// element returns the struct type behind a pointer or in a list.
func element(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return t.Elem()
	}
	return t
}

// Check returns the first failure in alphabetical order of the members as a
// refusal of kind CouldNotValidate, or nil. Members that do not belong to the
// body are cleared. ptr points to the decoded body.
func (v *Validator) Check(ptr any) error {
	return v.check("", reflect.ValueOf(ptr).Elem())
}

func (v *Validator) check(prefix string, x reflect.Value) error {
	for x.Kind() == reflect.Pointer {
		if x.IsNil() {
			return nil
		}
		x = x.Elem()
	}
	if x.Kind() == reflect.Slice {
		for i := range x.Len() {
			if err := v.check(prefix+strconv.Itoa(i)+".", x.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, index := range v.drop {
		x.FieldByIndex(index).SetZero()
	}
	for i := range v.fields {
		f := &v.fields[i]
		if err := f.check(prefix+f.Name, x.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	return nil
}

func (f *checked) check(path string, x reflect.Value) error {
	if absent(x) {
		if f.Required != 0 {
			return fault.CouldNotValidate.Field(path, path+" in body is required", "<nil>")
		}
		return nil
	}
	if f.inner != nil {
		return f.inner.check(path+".", x)
	}
	for x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	switch x.Kind() {
	case reflect.String:
		return f.checkString(path, x.String())
	case reflect.Int, reflect.Int64, reflect.Int32:
		return f.checkNumber(path, x.Int())
	case reflect.Slice:
		for i := range x.Len() {
			if e := x.Index(i); e.Kind() == reflect.String {
				if err := f.checkString(path+"."+strconv.Itoa(i), e.String()); err != nil {
					return err
				}
			}
		}
	case reflect.Map:
		return f.checkMap(path, x)
	}
	return nil
}

func (f *checked) checkMap(path string, x reflect.Value) error {
	for it := x.MapRange(); it.Next(); {
		p, e := path+"."+it.Key().String(), it.Value()
		var err error
		switch e.Kind() {
		case reflect.String:
			err = f.checkString(p, e.String())
		case reflect.Int, reflect.Int64, reflect.Int32:
			err = f.checkNumber(p, e.Int())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func absent(x reflect.Value) bool {
	switch x.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return x.IsNil()
	}
	return false
}

func (f *checked) checkString(path, s string) error {
	if len(f.Enum) > 0 {
		for _, e := range f.Enum {
			if s == e {
				return nil
			}
		}
		return fault.CouldNotValidate.Field(path, path+" in body should be one of ["+strings.Join(f.Enum, " ")+"]", s)
	}
	var value any = s
	if strings.HasSuffix(strings.ToLower(path), "password") {
		value = nil // never echoed
	}
	if f.HasMin && int64(len([]rune(s))) < f.Min {
		return fault.CouldNotValidate.Field(path, fmt.Sprintf("%s in body should be at least %d chars long", path, f.Min), value)
	}
	if f.HasMax && int64(len([]rune(s))) > f.Max {
		return fault.CouldNotValidate.Field(path, fmt.Sprintf("%s in body should be at most %d chars long", path, f.Max), value)
	}
	return nil
}

func (f *checked) checkNumber(path string, n int64) error {
	if f.HasMin && n < f.Min {
		return fault.CouldNotValidate.Field(path, fmt.Sprintf("%s in body should be greater than or equal to %d", path, f.Min), n)
	}
	if f.HasMax && n > f.Max {
		return fault.CouldNotValidate.Field(path, fmt.Sprintf("%s in body should be less than or equal to %d", path, f.Max), n)
	}
	return nil
}
