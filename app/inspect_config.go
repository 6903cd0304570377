package app

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// configValue returns a configuration as it was read, by the names of its keys,
// without what must stay secret. Keys that have no effect are left out.
func configValue(cfg any) any { return configOf(reflect.ValueOf(cfg)) }

const hidden = "***"

func configOf(v reflect.Value) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if !v.CanInterface() {
		return nil
	}
	switch value := v.Interface().(type) {
	case time.Duration:
		return value.String()
	case fmt.Stringer:
		return value.String()
	}
	switch v.Kind() {
	case reflect.Struct:
		return configSection(v)
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = configOf(v.Index(i))
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for entries := v.MapRange(); entries.Next(); {
			out[entries.Key().String()] = configOf(entries.Value())
		}
		return out
	}
	return v.Interface()
}

// configSection returns the keys of a section; embedded ones count as written
// out.
func configSection(v reflect.Value) map[string]any {
	out := make(map[string]any)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			for k, value := range configSection(v.Field(i)) {
				out[k] = value
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("conf"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		value := configOf(v.Field(i))
		if text, ok := value.(string); ok {
			value = shownText(name, text)
		}
		out[name] = value
	}
	return out
}

// shownText hides secrets. Paths of keys are shown, keys themselves are not.
func shownText(name, text string) string {
	switch strings.ToLower(name) {
	case "password":
		if text != "" {
			return hidden
		}
	case "key", "server_key":
		if strings.HasPrefix(text, "pem:") || strings.Contains(text, "-----BEGIN") {
			return "pem:" + hidden
		}
	}
	return text
}
