package query

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// stringLiteral consumes a text in double quotes. Only the escapes of the
// language are allowed, and no control characters.
func (s *scanner) stringLiteral() (string, bool) {
	if s.atEnd() || s.text[s.pos] != '"' {
		return "", false
	}
	var b strings.Builder
	plainFrom := s.pos + 1
	for i := plainFrom; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			b.WriteString(s.text[plainFrom:i])
			s.pos = i + 1
			return b.String(), true
		case c < 0x20:
			return "", false
		case c == '\\':
			if i+1 >= len(s.text) {
				return "", false
			}
			k := strings.IndexByte(`"\fnrt`, s.text[i+1])
			if k < 0 {
				return "", false
			}
			b.WriteString(s.text[plainFrom:i])
			b.WriteByte("\"\\\f\n\r\t"[k])
			i++
			plainFrom = i + 1
		}
	}
	return "", false
}

// numberText consumes a number in the form of JSON.
func (s *scanner) numberText() (text string, whole, ok bool) {
	i, t := s.pos, s.text
	at := func(c byte) bool { return i < len(t) && t[i] == c }
	digits := func() bool {
		from := i
		for i < len(t) && isDigit(t[i]) {
			i++
		}
		return i > from
	}
	if at('-') {
		i++
	}
	if at('0') {
		i++
	} else if !digits() {
		return "", false, false
	}
	whole = true
	if at('.') {
		i++
		whole = false
		if !digits() {
			return "", false, false
		}
	}
	if at('e') || at('E') {
		i++
		whole = false
		if at('+') || at('-') {
			i++
		}
		if !digits() {
			return "", false, false
		}
	}
	text = t[s.pos:i]
	s.pos = i
	return text, whole, true
}

func (s *scanner) numberLiteral() (literal, bool, error) {
	text, whole, ok := s.numberText()
	if !ok {
		return literal{}, false, nil
	}
	if whole {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return literal{}, false, fmt.Errorf("number %s does not fit 64 bits", clip(text))
		}
		return literal{IntOf(n), text}, true, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return literal{}, false, fmt.Errorf("number %s does not fit a float", clip(text))
	}
	return literal{FloatOf(f), text}, true, nil
}

// dateLiteral consumes `datetime(…)`; the word is lower case only.
func (s *scanner) dateLiteral() (literal, bool, error) {
	start := s.pos
	if !s.symbol("datetime(") {
		return literal{}, false, nil
	}
	s.blanks()
	from := s.pos
	for !s.atEnd() && s.text[s.pos] != ')' && !isBlank(s.text[s.pos]) {
		s.pos++
	}
	text := s.text[from:s.pos]
	s.blanks()
	if !s.symbol(")") {
		return literal{}, false, s.unexpected()
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		s.pos = start
		return literal{}, false, fmt.Errorf("%q is not an RFC 3339 date-time", clip(text))
	}
	return literal{Value: TimeOf(t)}, true, nil
}

func clip(text string) string {
	if len(text) > 64 {
		return text[:64] + "…"
	}
	return text
}
