package openapi

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// JSON returns the text of the document on one line.
func (d *Document) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(d)
	return b.Bytes(), err
}

// YAML returns the document as YAML, its members in the same order.
func (d *Document) YAML() ([]byte, error) {
	text, err := d.JSON()
	if err != nil {
		return nil, err
	}
	var n yaml.Node // JSON is YAML
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	plain(&n)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&n); err != nil {
		return nil, err
	}
	err = enc.Close()
	return b.Bytes(), err
}

// plain gives nodes the usual style of YAML instead of that of JSON.
func plain(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = 0
	} else if len(n.Content) > 0 {
		n.Style = 0
	}
	for _, c := range n.Content {
		plain(c)
	}
}
