package declare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds what a declaration may consist of once its aliases are
// followed: names, values, lists and maps.
const maxNodes = 8 << 20

var (
	errTooMuch = fmt.Errorf("more than %d values once aliases are followed", maxNodes)
	errKey     = errors.New("merge keys and keys that are no plain text are not understood")
	errTwice   = errors.New("the member is given a second time")
)

// File is one file of a declaration: YAML or JSON, one or several documents.
type File struct{ Name, Text string }

// Document is a declaration that has been read: well-formed, in known sections,
// every entity once. Members are judged by Make.
type Document struct {
	items  map[*Section][]*item
	byName map[*Section]map[string]*item
	named  map[*Section]bool // sections that the documents have, even if empty
	count  int
	budget int
}

// item is one declared entity.
type item struct {
	section *Section
	name    string // empty for kinds without
	node    *yaml.Node
	place   place
}

// member returns the name node and the value of a member, nil if it is absent.
func (it *item) member(name string) (key, value *yaml.Node) { return memberOf(it.node, name) }

func memberOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Read reads the files of a declaration. A refusal names file, line and column.
func Read(files []File) (*Document, error) {
	d := &Document{items: map[*Section][]*item{}, byName: map[*Section]map[string]*item{}, named: map[*Section]bool{}, budget: maxNodes}
	for _, f := range files {
		if err := d.file(f); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Len returns the number of declared entities.
func (d *Document) Len() int { return d.count }

// file reads one file: JSON if it looks like JSON and is, else YAML.
func (d *Document) file(f File) error {
	text := []byte(strings.TrimPrefix(f.Text, "\ufeff"))
	at := place{file: f.Name, document: 1}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		documents, err := jsonDocuments(text)
		if err == nil || strings.HasSuffix(f.Name, ".json") {
			if err != nil {
				return at.syntax(err, text)
			}
			return d.documents(at, documents)
		}
	}
	documents, err := yamlDocuments(text)
	if err != nil {
		return at.syntax(err, text)
	}
	return d.documents(at, documents)
}

func jsonDocuments(text []byte) (out []*yaml.Node, err error) {
	r := newJSONReader(text)
	for {
		n, err := r.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			line, column := r.place(int(r.dec.InputOffset()))
			return nil, &syntaxError{line, column, err.Error()}
		}
		out = append(out, n)
	}
}

func yamlDocuments(text []byte) (out []*yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		n := new(yaml.Node)
		err := dec.Decode(n)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(n.Content) > 0 {
			out = append(out, n.Content[0])
		}
	}
}

// syntaxError is text that is neither YAML nor JSON.
type syntaxError struct {
	line, column int
	reason       string
}

func (e *syntaxError) Error() string { return e.reason }

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func (p place) syntax(err error, text []byte) error {
	p.line, p.column = 1, 1
	reason := err.Error()
	var known *syntaxError
	if errors.As(err, &known) {
		p.line, p.column = known.line, known.column
	} else if m := yamlLine.FindStringSubmatch(reason); m != nil {
		reason = m[2]
		if m[1] != "" {
			p.line, _ = strconv.Atoi(m[1]) // digits
		}
	}
	remedy := "write YAML or JSON; a text with special characters goes into quotes"
	if bytes.ContainsRune(text, '\t') {
		remedy = "write YAML or JSON; YAML is indented with blanks, not with tabs"
	}
	return p.refuse(remedy, "neither YAML nor JSON: %s", reason)
}

func (d *Document) documents(at place, documents []*yaml.Node) error {
	for i, n := range documents {
		at.document = i + 1
		if err := d.document(at, n); err != nil {
			return err
		}
	}
	return nil
}

// document reads the sections of one document.
func (d *Document) document(at place, n *yaml.Node) error {
	if n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return at.at(n).refuse("write sections such as services: with a list of entities", "a document is a map of sections, not %s", kindOf(n))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, list := n.Content[i], n.Content[i+1]
		s := SectionOf(key.Value)
		if s == nil {
			var names []string
			for _, s := range Sections() {
				names = append(names, s.Name)
			}
			return at.at(key).refuse(didYouMean(key.Value, names, "the sections are "+strings.Join(names, ", ")), "unknown section %q", key.Value)
		}
		here := at.at(key)
		here.section = s.Name
		d.named[s] = true
		if list = follow(list); list.ShortTag() == "!!null" {
			continue
		}
		if list.Kind != yaml.SequenceNode {
			return here.at(list).refuse("write every entity as an entry that begins with a dash", "a list of entities is expected, not %s", kindOf(list))
		}
		for _, e := range list.Content {
			if err := d.entity(here, s, follow(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// entity takes one entity into the document.
func (d *Document) entity(at place, s *Section, n *yaml.Node) error {
	at = at.at(n)
	if n.Kind != yaml.MappingNode {
		return at.refuse("write the members of the entity, such as name: web", "a map of members is expected, not %s", kindOf(n))
	}
	if at, err := d.sound(at, n, 0); err != nil {
		return at.refuse("split the declaration, nest less, write merged members out", "%s", err)
	}
	it := &item{section: s, node: n, place: at}
	if s.key == nil {
		key, name := it.member("name")
		switch {
		case key == nil:
			return at.refuse("give it a name: entities are found by it", "the member name is missing")
		case follow(name).ShortTag() != "!!str" || follow(name).Value == "":
			return at.in("name").at(name).refuse("put the name in quotes", "a string is expected, not %s", kindOf(follow(name)))
		}
		it.name = follow(name).Value
		it.place.entity = it.name
		if d.byName[s] == nil {
			d.byName[s] = map[string]*item{}
		}
		if other := d.byName[s][it.name]; other != nil {
			return it.place.refuse("leave one of the two", "the name is declared a second time, first at %s:%d", other.place.file, other.place.line)
		}
		d.byName[s][it.name] = it
	}
	d.items[s] = append(d.items[s], it)
	d.count++
	return nil
}

// sound judges the form of a tree: the number of values, aliases followed, the
// depth, and that the members of every map are plain and different.
func (d *Document) sound(at place, n *yaml.Node, depth int) (place, error) {
	if d.budget--; d.budget < 0 {
		return at, errTooMuch
	}
	if depth > maxDepth {
		return at.at(n), errDepth
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.sound(at, n.Alias, depth+1)
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i]; key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				return at.at(key), errKey
			}
		}
		if key := repeated(n); key != nil {
			return at.in(key.Value).at(key), errTwice
		}
	}
	for _, c := range n.Content {
		if at, err := d.sound(at, c, depth+1); err != nil {
			return at, err
		}
	}
	return at, nil
}

// repeated returns the first key of a map that was there before.
func repeated(n *yaml.Node) *yaml.Node {
	if len(n.Content) <= 16 {
		for i := 2; i < len(n.Content); i += 2 {
			for j := 0; j < i; j += 2 {
				if n.Content[i].Value == n.Content[j].Value {
					return n.Content[i]
				}
			}
		}
		return nil
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		if seen[n.Content[i].Value] {
			return n.Content[i]
		}
		seen[n.Content[i].Value] = true
	}
	return nil
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// kindOf names what stands at a place.
func kindOf(n *yaml.Node) string {
	switch n = follow(n); n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the truth value " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return fmt.Sprintf("the text %q", n.Value)
}
