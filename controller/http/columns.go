package http

import (
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
)

// column is one filterable field of a list of T. Exactly one of value and set
// is given; neither is for tags.
type column[T any] struct {
	query.Field
	value func(c *call, e *T) query.Value
	set   func(c *call, e *T) query.Set
}

// table are the filterable fields of a list of T.
type table[T any] struct {
	schema  *query.Schema
	columns []column[T]
	tags    func(e *T) map[string]any
	names   []byte // JSON array of the names, sorted
}

func newTable[T any](tags func(e *T) map[string]any, columns ...column[T]) *table[T] {
	sort.Slice(columns, func(i, j int) bool { return columns[i].Name < columns[j].Name })
	fields := make([]query.Field, len(columns))
	names := []byte{'['}
	for i, col := range columns {
		fields[i] = col.Field
		if i > 0 {
			names = append(names, ',')
		}
		names = append(append(append(names, '"'), col.Name...), '"')
	}
	return &table[T]{query.NewSchema(fields...), columns, tags, append(names, ']')}
}

// narrow returns a table with these columns only.
func (t *table[T]) narrow(names ...string) *table[T] {
	var columns []column[T]
	for _, col := range t.columns {
		if slices.Contains(names, col.Name) {
			columns = append(columns, col)
		}
	}
	return newTable(t.tags, columns...)
}

// row is one entity as the filter language sees it.
type row[T any] struct {
	t *table[T]
	c *call
	e *T
}

// Value implements query.Row.
func (r *row[T]) Value(field int) query.Value {
	r.c.steps++
	if f := r.t.columns[field].value; f != nil {
		return f(r.c, r.e)
	}
	return query.Value{}
}

// Set implements query.Row.
func (r *row[T]) Set(field int) query.Set {
	f := r.t.columns[field].set
	if f == nil {
		return query.Set{}
	}
	set := f(r.c, r.e)
	r.c.steps += 1 + len(set.Texts)
	return set
}

// Tag implements query.Row.
func (r *row[T]) Tag(key string) query.Value {
	r.c.steps++
	if r.t.tags == nil {
		return query.Value{}
	}
	return query.AnyOf(r.t.tags(r.e)[key])
}

func text[T any](name string, get func(e *T) string) column[T] {
	return column[T]{Field: query.Field{Name: name, Type: query.String},
		value: func(_ *call, e *T) query.Value { return query.StringOf(get(e)) }}
}

// numbered is a text that filters may also name by its number, from 1.
func numbered[T any](name string, get func(e *T) string, texts ...string) column[T] {
	col := text(name, get)
	col.Numbered = texts
	return col
}

func flag[T any](name string, get func(c *call, e *T) bool) column[T] {
	return column[T]{Field: query.Field{Name: name, Type: query.Bool},
		value: func(c *call, e *T) query.Value { return query.BoolOf(get(c, e)) }}
}

func moment[T any](name string, get func(e *T) time.Time) column[T] {
	return column[T]{Field: query.Field{Name: name, Type: query.Time},
		value: func(_ *call, e *T) query.Value { return query.TimeOf(get(e)) }}
}

// textSet is a set field whose elements are the given texts.
func textSet[T any](name string, get func(c *call, e *T) []string) column[T] {
	return column[T]{Field: query.Field{Name: name, Type: query.String, Set: true},
		set: func(c *call, e *T) query.Set { return query.Set{Texts: get(c, e)} }}
}

// tagColumn stands for the tags of an entity.
func tagColumn[T any]() column[T] {
	return column[T]{Field: query.Field{Name: "tags", Type: query.Any}}
}

// modelColumns returns the filterable fields of an entity from its description.
func modelColumns[T any](k model.Kind) []column[T] {
	var out []column[T]
	for _, f := range model.Describe(k).Fields {
		if f.Filter == "" || f.Secret {
			continue
		}
		if f.Filter == "tags" {
			out = append(out, tagColumn[T]())
			continue
		}
		out = append(out, modelColumn[T](f))
	}
	return out
}

func modelColumn[T any](f model.Field) column[T] {
	index := fieldIndex(reflect.TypeFor[T](), f.Name)
	at := func(e *T) reflect.Value { return reflect.ValueOf(e).Elem().FieldByIndex(index) }
	col := column[T]{Field: query.Field{Name: f.Filter}}
	switch f.Type {
	case model.TypeStrings:
		return textSet(f.Filter, func(_ *call, e *T) []string { return *at(e).Addr().Interface().(*[]string) })
	case model.TypeBool:
		col.Type, col.value = query.Bool, func(_ *call, e *T) query.Value { return query.BoolOf(at(e).Bool()) }
	case model.TypeInt:
		col.Type, col.value = query.Int, func(_ *call, e *T) query.Value { return query.IntOf(at(e).Int()) }
	case model.TypeTime:
		col.Type, col.value = query.Time, func(_ *call, e *T) query.Value { return timeOf(at(e)) }
	case model.TypeString:
		col.Type, col.value = query.String, func(_ *call, e *T) query.Value { return stringOf(at(e)) }
	default:
		if f.Go.Kind() == reflect.Map {
			return textSet(f.Filter, func(_ *call, e *T) []string { return keysOf(at(e)) })
		}
		col.Type, col.value = query.String, func(_ *call, e *T) query.Value { return query.StringOf(string(at(e).Bytes())) }
	}
	if f.Nullable {
		inner := col.value
		col.value = func(c *call, e *T) query.Value {
			if at(e).IsNil() {
				return query.Value{}
			}
			return inner(c, e)
		}
	}
	return col
}

func stringOf(v reflect.Value) query.Value {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return query.StringOf(v.String())
}

func timeOf(v reflect.Value) query.Value {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return query.TimeOf(*v.Addr().Interface().(*time.Time))
}

func keysOf(v reflect.Value) []string {
	out := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		out = append(out, k.String())
	}
	slices.Sort(out)
	return out
}

// fieldIndex finds the field with a dotted JSON path in a struct type.
func fieldIndex(t reflect.Type, path string) []int {
	head, rest, nested := strings.Cut(path, ".")
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != head || f.Anonymous {
			continue
		}
		if !nested {
			return f.Index
		}
		return append(slices.Clone(f.Index), fieldIndex(f.Type, rest)...)
	}
	return nil
}
