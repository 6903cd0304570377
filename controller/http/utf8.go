package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftnet/weft/fault"
)

// checkText refuses a JSON text that is not UTF-8 and names the member where it
// is not. (The decoder would put U+FFFD in place of what it cannot read.)
func checkText(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return fault.CouldNotParseBody.Field(memberAt(text, at), "the text is not UTF-8 at byte "+strconv.Itoa(at), "")
}

// level is one object or list on the way to a place in a JSON text.
type level struct {
	list  bool
	key   string
	named bool // the key has been read, its value comes next
	index int
}

// memberAt returns the path of the member around a place in a JSON text, as far
// as the text can be read.
func memberAt(text []byte, at int) string {
	d := json.NewDecoder(bytes.NewReader(text))
	var path []level
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		top := len(path) - 1
		if top >= 0 && !path[top].list && !path[top].named && token != json.Delim('}') {
			path[top].key, path[top].named = fmt.Sprint(token), true
			if int(d.InputOffset()) > at {
				break
			}
			continue
		}
		if int(d.InputOffset()) > at {
			break
		}
		if token == json.Delim('{') || token == json.Delim('[') {
			path = append(path, level{list: token == json.Delim('[')})
			continue
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			path = path[:top]
			top--
		}
		if top >= 0 { // a value is complete
			path[top].named = false
			path[top].index++
		}
	}
	names := make([]string, len(path))
	for i, l := range path {
		if names[i] = l.key; l.list {
			names[i] = strconv.Itoa(l.index)
		}
	}
	return strings.Join(names, ".")
}
