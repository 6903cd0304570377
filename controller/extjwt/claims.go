package extjwt

import (
	"fmt"
	"strconv"
	"strings"
)

// Identity returns the claim that names the token's identity, as the signer says
// where it is. Whether it is an id or an external id is for the signer to say,
// too. The error is ErrInvalid for a claim that is no text or is not there.
func (t *Token) Identity() (string, error) { return t.Text(t.Signer.ClaimsProperty) }

// Text returns the text at a selector, a JSON pointer or the name of a claim.
// The error is ErrInvalid for anything but a text that is not empty.
func (t *Token) Text(selector string) (string, error) {
	v, ok := t.at(selector)
	if text, is := v.(string); ok && is && text != "" {
		return text, nil
	}
	return "", fmt.Errorf("%w: its claim %s is no text", ErrInvalid, selector)
}

// Texts returns the text or texts at a selector; none if it is empty, or nothing
// is there. The error is ErrInvalid for anything else.
func (t *Token) Texts(selector string) ([]string, error) {
	v, ok := t.at(selector)
	if selector == "" || !ok || v == nil {
		return nil, nil
	}
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		out := make([]string, len(v))
		for i, x := range v {
			text, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("%w: its claim %s is no list of texts", ErrInvalid, selector)
			}
			out[i] = text
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w: its claim %s is neither a text nor a list of texts", ErrInvalid, selector)
}

// unescape is the escape sequences of JSON pointers.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func (t *Token) at(selector string) (any, bool) {
	var v any = t.Claims
	for part := range strings.SplitSeq(strings.TrimPrefix(selector, "/"), "/") {
		part = unescape.Replace(part)
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}
