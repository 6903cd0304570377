package events

import (
	"bytes"
	"encoding/json"
	"strings"
)

// plain turns the JSON object of an event into a line of text: its time, its
// type, then name=value of everything else in the order of the object.
func plain(object []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var namespace, kind, timestamp string
	var rest bytes.Buffer
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		text := string(value)
		if s := ""; json.Unmarshal(value, &s) == nil && len(value) > 0 && value[0] == '"' {
			text = bare(s, text)
		}
		switch name {
		case "namespace":
			namespace = text
		case "event_type", "eventType", "metric":
			kind = text
		case "timestamp":
			timestamp = text
		default:
			rest.WriteString(" " + name.(string) + "=" + text)
		}
	}
	return append([]byte(timestamp+" "+namespace+" "+kind), rest.Bytes()...), nil
}

// bare returns a text without quotes where it can be told from its neighbours.
func bare(s, quoted string) string {
	if s == "" || strings.ContainsAny(s, " =\"\\") || strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return quoted
	}
	return s
}
