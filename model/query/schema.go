package query

import (
	"slices"
	"strings"
)

// Field describes one public name of a list.
type Field struct {
	Name    string  // public name, may be dotted
	Type    Type    // of the value, or of the elements of a set
	Set     bool    // may only stand in anyOf, allOf, count, isEmpty and after from
	Related *Schema // names inside `from <set> where …`; nil where the elements have no fields
	// Numbered are texts that have numbers, counted from 1: `type = 1` asks for
	// the first of them, as `type = "…"` does.
	Numbered []string
}

// Schema holds the public names of one list. Build it once and share it; it is
// safe for concurrent use. Rows are asked by the position of a field.
type Schema struct {
	fields []Field
	byName map[string]int
}

// NewSchema returns the schema with these fields; the position of a field is
// its index here. A field `tags` of type Any accepts `tags.<key>` as names.
func NewSchema(fields ...Field) *Schema {
	s := &Schema{fields: slices.Clone(fields), byName: make(map[string]int, len(fields))}
	for i, f := range fields {
		s.byName[f.Name] = i
	}
	return s
}

// Names returns the names in the order of their positions: filterableFields.
func (s *Schema) Names() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.Name
	}
	return out
}

// Field returns the field at a position.
func (s *Schema) Field(i int) Field { return s.fields[i] }

// Index returns the position of a name, -1 if it is unknown.
func (s *Schema) Index(name string) int {
	if i, ok := s.byName[name]; ok {
		return i
	}
	return -1
}

// resolve returns the position of a name and the key of a tag, -1 if unknown.
func (s *Schema) resolve(name string) (field int, tag string) {
	if i, ok := s.byName[name]; ok {
		return i, ""
	}
	head, key, ok := strings.Cut(name, ".")
	if i, known := s.byName[head]; ok && known && s.fields[i].Type == Any {
		return i, key
	}
	return -1, ""
}

// Row gives the values of one listed entity by the positions of its schema.
// One Row may be reused for many entities: nothing is kept after a call.
type Row interface {
	// Value returns the value of a field that is no set, null if absent.
	Value(field int) Value
	// Set returns the elements of a set field.
	Set(field int) Set
	// Tag returns the value of a tag, null if there is none.
	Tag(key string) Value
}

// Set is the value of a set field: plain texts, or related entities, or both in
// parallel. The zero Set is empty.
type Set struct {
	Texts []string                   // the elements, ids for related entities
	Rows  func(yield func(Row) bool) // related entities for `from`, may be nil
}
