package declare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxDepth is how deep documents may be nested.
const maxDepth = 64

var errDepth = fmt.Errorf("nested deeper than %d levels", maxDepth)

// jsonReader turns JSON into the tree that YAML is read into, with places, and
// with the order of members kept.
type jsonReader struct {
	dec    *json.Decoder
	text   []byte
	offset int // up to which lines are counted
	line   int
	start  int // offset of the first byte of the line
}

// readJSON reads one JSON value; rest is what follows it.
func newJSONReader(text []byte) *jsonReader {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return &jsonReader{dec: dec, text: text, line: 1}
}

// next returns the next value of the stream, io.EOF at its end.
func (r *jsonReader) next() (*yaml.Node, error) { return r.value(0) }

// place returns line and column of the first byte of the token after the one
// that was read last.
func (r *jsonReader) place(offset int) (line, column int) {
	for ; r.offset < offset && r.offset < len(r.text); r.offset++ {
		if r.text[r.offset] == '\n' {
			r.line++
			r.start = r.offset + 1
		}
	}
	return r.line, offset - r.start + 1
}

func (r *jsonReader) tokenStart() int {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	line, column := r.place(r.tokenStart())
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: line, Column: column}
	switch t := t.(type) {
	case json.Delim:
		return n, r.collection(n, t, depth)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(t)
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if bytes.ContainsAny([]byte(t), ".eE") {
			n.Tag = "!!float"
		}
	case string:
		n.Tag, n.Value = "!!str", t
	}
	return n, nil
}

func (r *jsonReader) collection(n *yaml.Node, t json.Delim, depth int) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if t == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for r.dec.More() {
		if t == '{' {
			key, err := r.value(depth + 1)
			if err != nil {
				return unexpected(err)
			}
			n.Content = append(n.Content, key)
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return unexpected(err)
		}
		n.Content = append(n.Content, v)
	}
	_, err := r.dec.Token() // the closing bracket
	return unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// nodeOf returns the tree of a value that encoding/json can write.
func nodeOf(value any) (*yaml.Node, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	n, err := newJSONReader(text).next()
	if err == nil {
		forget(n)
	}
	return n, err
}

// forget drops the places of a tree, which would move comments.
func forget(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		forget(c)
	}
}

// appendJSON writes a tree as JSON. Only a refusal of the place can go wrong.
func appendJSON(b []byte, n *yaml.Node, budget *int) ([]byte, error) {
	if *budget--; *budget < 0 {
		return nil, errTooMuch
	}
	var err error
	switch n.Kind {
	case yaml.AliasNode:
		return appendJSON(b, n.Alias, budget)
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, n.Content[i].Value), ':')
			if b, err = appendJSON(b, n.Content[i+1], budget); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, c := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, c, budget); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	return appendScalar(b, n)
}

func appendScalar(b []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!null":
		return append(b, "null"...), nil
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			return nil, err
		}
		return strconv.AppendBool(b, v), nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return append(b, n.Value...), nil
		}
		var i int64
		if n.Decode(&i) == nil {
			return strconv.AppendInt(b, i, 10), nil
		}
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		text, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("the number %s has no place in JSON", n.Value)
		}
		return append(b, text...), nil
	}
	return appendText(b, n.Value), nil
}

// appendText writes a string; json.Marshal cannot fail on one.
func appendText(b []byte, s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSpace(out.Bytes())...)
}
