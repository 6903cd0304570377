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

// maxNesting is the depth of objects and lists in a body. Clients read back what
// they wrote, and not all of them bear much.
const maxNesting = 100

// checkText refuses a JSON text that is not UTF-8, nests too deep or holds a NUL,
// and names the member. (The decoder would put U+FFFD in place of what it cannot
// read, and most programs take a NUL for the end of a text.)
func checkText(text []byte) error {
	if err := checkUTF8(text); err != nil {
		return err
	}
	if at := tooDeep(text); at >= 0 {
		return fault.CouldNotParseBody.Field(memberAt(text[:at], at), "the text nests deeper than "+strconv.Itoa(maxNesting)+" levels", "")
	}
	if bytes.Contains(text, []byte(`\u0000`)) {
		if at := nul(text); at >= 0 {
			return fault.CouldNotParseBody.Field(memberAt(text, at), "a text holds a NUL character", "")
		}
	}
	return nil
}

// tooDeep returns where a JSON text nests too deep, -1 if it does not.
func tooDeep(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{', b == '[':
			if depth++; depth > maxNesting {
				return i
			}
		case b == '}', b == ']':
			depth--
		}
	}
	return -1
}

// nul returns where a NUL is written in a JSON text, -1 if it is nowhere.
func nul(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(text[i:], []byte(`\u0000`)) {
			return i
		}
		i++
	}
	return -1
}

func checkUTF8(text []byte) error {
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
