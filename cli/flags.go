package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// pointer is the value of a flag that stays nil until the flag is given, so
// that only what was given is sent.
type pointer[T any] struct {
	to    **T
	parse func(string) (T, error)
	name  string // of the type, for help texts
}

// Set parses the text.
func (p pointer[T]) Set(text string) error {
	v, err := p.parse(text)
	if err == nil {
		*p.to = &v
	}
	return err
}

// String returns the current value.
func (p pointer[T]) String() string {
	if p.to == nil || *p.to == nil {
		return ""
	}
	return fmt.Sprint(**p.to)
}

// Type names the type in help texts.
func (p pointer[T]) Type() string { return p.name }

func textFlag(f *pflag.FlagSet, to **string, name, short, usage string) {
	f.VarP(pointer[string]{to, func(s string) (string, error) { return s, nil }, "text"}, name, short, usage)
}

func boolFlag(f *pflag.FlagSet, to **bool, name, short, usage string) {
	flag := f.VarPF(pointer[bool]{to, parseBool, "bool"}, name, short, usage)
	flag.NoOptDefVal = "true"
}

func intFlag(f *pflag.FlagSet, to **int, name, usage string) {
	f.Var(pointer[int]{to, strconv.Atoi, "number"}, name, usage)
}

func longFlag(f *pflag.FlagSet, to **int64, name, usage string) {
	f.Var(pointer[int64]{to, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, "number"}, name, usage)
}

// millisFlag takes a duration such as 90s and stores milliseconds.
func millisFlag(f *pflag.FlagSet, to **int64, name, usage string) {
	f.Var(pointer[int64]{to, func(s string) (int64, error) {
		d, err := time.ParseDuration(s)
		return d.Milliseconds(), err
	}, "duration"}, name, usage)
}

// parseMillis returns the milliseconds of a duration such as 5m.
func parseMillis(s string) (any, error) {
	d, err := time.ParseDuration(s)
	return d.Milliseconds(), err
}

// parseBool also takes ON and OFF, as the ecosystem writes them.
func parseBool(s string) (bool, error) {
	switch strings.ToUpper(s) {
	case "ON", "YES":
		return true, nil
	case "OFF", "NO":
		return false, nil
	}
	return strconv.ParseBool(s)
}

// list is the value of a flag that takes comma-separated texts and may be
// repeated; given as empty it makes an empty list that is sent.
type list struct{ to *[]string }

// Set adds the texts.
func (l list) Set(text string) error {
	if *l.to == nil {
		*l.to = []string{}
	}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*l.to = append(*l.to, item)
		}
	}
	return nil
}

// String returns the current value.
func (l list) String() string {
	if l.to == nil {
		return ""
	}
	return strings.Join(*l.to, ",")
}

// Type names the type in help texts.
func (l list) Type() string { return "list" }

func listFlag(f *pflag.FlagSet, to *[]string, name, short, usage string) {
	f.VarP(list{to}, name, short, usage)
}

// tags is the value of a flag key=value that may be repeated. Values that read
// as numbers or truth values are sent as such.
type tags struct{ to *client.Tags }

// Set adds one tag.
func (t tags) Set(text string) error {
	if *t.to == nil {
		*t.to = client.Tags{}
	}
	if text == "" {
		return nil
	}
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return fmt.Errorf("want key=value, got %q", text)
	}
	(*t.to)[key] = scalar(value)
	return nil
}

// String returns the current value.
func (t tags) String() string {
	if t.to == nil || len(*t.to) == 0 {
		return ""
	}
	return fmt.Sprint(map[string]any(*t.to))
}

// Type names the type in help texts.
func (t tags) Type() string { return "key=value" }

func tagsFlag(f *pflag.FlagSet, to *client.Tags, name, usage string) { f.Var(tags{to}, name, usage) }

func scalar(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && strconv.FormatFloat(n, 'f', -1, 64) == s {
		return n
	}
	return s
}

// pairs is the value of a flag key=value that may be repeated, or given several
// times with commas.
type pairs[T any] struct {
	to    *map[string]T
	parse func(string) (T, error)
}

// Set adds the pairs.
func (p pairs[T]) Set(text string) error {
	if *p.to == nil {
		*p.to = map[string]T{}
	}
	for _, item := range splitList(text) {
		key, value, ok := strings.Cut(item, "=")
		if !ok || key == "" {
			return fmt.Errorf("want key=value, got %q", item)
		}
		v, err := p.parse(value)
		if err != nil {
			return err
		}
		(*p.to)[key] = v
	}
	return nil
}

// String returns the current value.
func (p pairs[T]) String() string {
	if p.to == nil || len(*p.to) == 0 {
		return ""
	}
	return fmt.Sprint(*p.to)
}

// Type names the type in help texts.
func (p pairs[T]) Type() string { return "key=value" }

func asText(s string) (string, error) { return s, nil }
