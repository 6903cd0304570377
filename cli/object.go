package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// Base paths of the APIs.
const (
	managementBase = "/edge/management/v1"
	fabricBase     = "/fabric/v1"
)

// object is an entity as it comes and goes, for kinds whose form depends on
// their members.
type object map[string]any

// UnmarshalJSON keeps numbers as they are written.
func (o *object) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode((*map[string]any)(o))
}

func (o object) text(path string) string {
	v, _ := member(map[string]any(o), path)
	switch v := v.(type) {
	case bool:
		return yesNo(v)
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = memberText(v[i])
		}
		return words(texts)
	}
	return memberText(v)
}

// set sets a member by its path and makes the objects above it.
func (o *object) set(path string, value any) {
	if *o == nil {
		*o = object{}
	}
	at := map[string]any(*o)
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, ok := at[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	at[names[len(names)-1]] = value
}

// fallback sets a member that was not given.
func (o *object) fallback(path string, value any) {
	if _, given := member(map[string]any(*o), path); !given {
		o.set(path, value)
	}
}

// objects declares a kind whose entities are at base/many. Columns are written
// HEADER=member. There are the operations get, post, patch and delete; what a
// kind lacks is taken away.
func objects(one, many, base string, columns ...string) *entity[object, object, object] {
	at := func(id string) string { return base + "/" + many + "/" + client.Segment(id) }
	e := &entity[object, object, object]{one: one, many: many,
		ref: func(d *object) (string, string) {
			id, _ := (*d)["id"].(string)
			name, _ := (*d)["name"].(string)
			return id, name
		},
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[object], error) {
			return pageOf[object](ctx, m, base+"/"+many, p, nil)
		},
		getOne: func(m *client.Management, ctx context.Context, id string) (*object, error) {
			return fetch[object](ctx, m, at(id))
		},
		post: func(m *client.Management, ctx context.Context, in *object) (*client.Created, error) {
			b, err := m.Any().Send(ctx, "POST", base+"/"+many, nil, in)
			if err != nil {
				return nil, err
			}
			created := new(client.Created)
			return created, json.Unmarshal(b, created)
		},
		patch: func(m *client.Management, ctx context.Context, id string, in *object) error {
			_, err := m.Any().Send(ctx, "PATCH", at(id), nil, in)
			return err
		},
		drop: func(m *client.Management, ctx context.Context, id string) error {
			_, err := m.Any().Send(ctx, "DELETE", at(id), nil, nil)
			return err
		},
	}
	for _, c := range columns {
		header, path, _ := strings.Cut(c, "=")
		e.columns = append(e.columns, column[object]{header, func(d *object) string { return d.text(path) }})
	}
	return e
}

// readOnly takes the changes away.
func readOnly(e *entity[object, object, object]) *entity[object, object, object] {
	e.post, e.patch, e.drop = nil, nil, nil
	return e
}

// fetch returns what is at a path.
func fetch[T any](ctx context.Context, m *client.Management, path string) (*T, error) {
	b, err := m.Any().Send(ctx, "GET", path, nil, nil)
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("%s: answer is not understood: %w", path, err)
	}
	return v, nil
}

// setter is the value of a flag that sets a member of an object.
type setter struct {
	to    *object
	path  string
	parse func(string) (any, error)
	name  string // of the type, for help texts
}

// Set parses the text; a list is added to.
func (s setter) Set(text string) error {
	v, err := s.parse(text)
	if err != nil {
		return err
	}
	if add, ok := v.([]string); ok {
		if old, ok := member(map[string]any(*s.to), s.path); ok {
			if old, ok := old.([]string); ok {
				v = append(old, add...)
			}
		}
	}
	s.to.set(s.path, v)
	return nil
}

// String returns the text of the member.
func (s setter) String() string {
	if s.to == nil {
		return ""
	}
	return s.to.text(s.path)
}

// Type names the type in help texts.
func (s setter) Type() string { return s.name }

// memberFlags adds flags that set members of an object.
type memberFlags struct {
	f  *pflag.FlagSet
	to *object
}

func (m memberFlags) text(path, name, short, usage string) {
	m.f.VarP(setter{m.to, path, func(s string) (any, error) { return s, nil }, "text"}, name, short, usage)
}

func (m memberFlags) bool(path, name, short, usage string) {
	flag := m.f.VarPF(setter{m.to, path, func(s string) (any, error) { return parseBool(s) }, "bool"}, name, short, usage)
	flag.NoOptDefVal = "true"
}

func (m memberFlags) number(path, name, short, usage string) {
	m.f.VarP(setter{m.to, path, func(s string) (any, error) { return strconv.ParseInt(s, 10, 64) }, "number"}, name, short, usage)
}

func (m memberFlags) list(path, name, short, usage string) {
	m.f.VarP(setter{m.to, path, func(s string) (any, error) { return splitList(s), nil }, "list"}, name, short, usage)
}

// file sets a member to the content of a file.
func (m memberFlags) file(path, name, short, usage string) {
	m.f.VarP(setter{m.to, path, func(s string) (any, error) {
		b, err := os.ReadFile(s)
		return string(b), err
	}, "file"}, name, short, usage)
}

func (m memberFlags) tags() {
	m.f.Var(setter{m.to, "tags", func(s string) (any, error) {
		all := client.Tags{}
		if old, ok := (*m.to)["tags"].(client.Tags); ok {
			all = old
		}
		return all, tags{&all}.Set(s)
	}, "key=value"}, "tags", "tags, key=value")
}

// splitList splits at commas; an empty text is an empty list.
func splitList(text string) []string {
	out := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}
