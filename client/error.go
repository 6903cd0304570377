package client

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Error is a refusal of the controller.
type Error struct {
	Status    int    `json:"-"` // of HTTP
	Code      string `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
	Remedy    string `json:"remedy"` // what to do, may be empty
	Cause     *Cause `json:"cause"`  // may be nil
}

// Cause is why the controller refused: a field with the reason, or another
// error.
type Cause struct {
	Field   string         `json:"field"`
	Reason  string         `json:"reason"`
	Value   any            `json:"value"` // of the field, a string for Weft
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Cause   *Cause         `json:"cause"`
	Data    map[string]any `json:"data"`
}

// Error returns the code, the message and the cause in one line.
func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if cause := e.Cause.String(); cause != "" {
		text += ": " + cause
	}
	return text
}

// String returns the cause in one line, empty for nil.
func (c *Cause) String() string {
	if c == nil {
		return ""
	}
	var parts []string
	said := c.Value != nil && c.Value != "" // an empty value says nothing
	switch {
	case c.Field != "" && strings.HasPrefix(c.Reason, c.Field+" ") && said: // says the field itself
		parts = append(parts, fmt.Sprintf("%s (value %v)", c.Reason, c.Value))
	case c.Field != "" && strings.HasPrefix(c.Reason, c.Field+" "):
		parts = append(parts, c.Reason)
	case c.Field != "" && said:
		parts = append(parts, fmt.Sprintf("%s: %s (value %v)", c.Field, c.Reason, c.Value))
	case c.Field != "":
		parts = append(parts, c.Field+": "+c.Reason)
	case c.Message != "" && c.Code != "" && c.Code != "UNHANDLED":
		parts = append(parts, c.Code+": "+c.Message)
	case c.Message != "":
		parts = append(parts, c.Message)
	}
	if inner := c.Cause.String(); inner != "" {
		parts = append(parts, inner)
	}
	return strings.Join(parts, ": ")
}

// refusal makes the error of an answer that is no success.
func refusal(status int, statusText string, body []byte) error {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	e := &Error{}
	if json.Unmarshal(body, &envelope) == nil && len(envelope.Error) > 0 {
		body = envelope.Error
	}
	if json.Unmarshal(body, e) != nil || e.Code == "" {
		*e = Error{Code: "HTTP_" + fmt.Sprint(status), Message: "the controller answered " + statusText}
	}
	e.Status = status
	return e
}
