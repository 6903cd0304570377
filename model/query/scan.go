package query

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// scanner reads the text from left to right. Its methods consume what they
// name and report whether it was there.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) rest() string { return s.text[s.pos:] }

func (s *scanner) atEnd() bool { return s.pos >= len(s.text) }

// blanks consumes white space, which may be absent.
func (s *scanner) blanks() bool {
	start := s.pos
	for s.pos < len(s.text) && isBlank(s.text[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

// symbol consumes a punctuation.
func (s *scanner) symbol(text string) bool {
	if !strings.HasPrefix(s.rest(), text) {
		return false
	}
	s.pos += len(text)
	return true
}

// keyword consumes a word, ignoring case, that does not go on.
func (s *scanner) keyword(word string) bool {
	end := s.pos + len(word)
	if end > len(s.text) || !strings.EqualFold(s.text[s.pos:end], word) {
		return false
	}
	if end < len(s.text) && isWordByte(s.text[end]) {
		return false
	}
	s.pos = end
	return true
}

// blankKeyword consumes white space and a keyword, or nothing.
func (s *scanner) blankKeyword(word string) bool {
	start := s.pos
	if s.blanks() && s.keyword(word) {
		return true
	}
	s.pos = start
	return false
}

// name consumes a field name, which may stand in single quotes.
func (s *scanner) name() (string, bool) {
	start := s.pos
	if s.symbol("'") {
		if s.segments() && s.symbol("'") {
			return s.text[start:s.pos], true
		}
		s.pos = start
		return "", false
	}
	if !s.segments() {
		return "", false
	}
	return s.text[start:s.pos], true
}

func (s *scanner) segments() bool {
	if !s.segment(false) {
		return false
	}
	for s.pos+1 < len(s.text) && s.text[s.pos] == '.' && isLetter(s.text[s.pos+1]) {
		s.pos++
		s.segment(true)
	}
	return true
}

func (s *scanner) segment(hyphen bool) bool {
	if s.atEnd() || !isLetter(s.text[s.pos]) {
		return false
	}
	for s.pos < len(s.text) && (isLetter(s.text[s.pos]) || s.text[s.pos] == '_' || hyphen && s.text[s.pos] == '-') {
		s.pos++
	}
	return true
}

// syntaxError is an unexpected token; line counts from 1, column from 0.
type syntaxError struct {
	token        string
	line, column int
}

// Error has the form of the ecosystem's controllers.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("Unexpected symbol: \"%s\" at line: %d column: %d. line: %d, column: %d, symbol: %s",
		e.token, e.line, e.column, e.line, e.column, e.token)
}

// unexpected returns the syntax error at the current place, white space aside.
func (s *scanner) unexpected() error {
	s.blanks()
	e := &syntaxError{token: "<EOF>", line: 1}
	for _, r := range s.text[:s.pos] {
		e.column++
		if r == '\n' {
			e.line, e.column = e.line+1, 0
		}
	}
	if s.atEnd() {
		return e
	}
	end := s.pos
	for end < len(s.text) && isWordByte(s.text[end]) && end < s.pos+64 {
		end++
	}
	if end == s.pos {
		_, n := utf8.DecodeRuneInString(s.rest())
		end += n
	}
	e.token = s.text[s.pos:end]
	return e
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '-' }
