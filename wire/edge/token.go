package edge

import (
	"fmt"

	"github.com/weftnet/weft/wire/message"
)

// UpdateToken hands the router a renewed API session token.
type UpdateToken struct{ Token string }

// Encode makes the message.
func (u *UpdateToken) Encode() *message.Message {
	return message.New(TypeUpdateToken, []byte(u.Token))
}

// ParseUpdateToken decodes the renewal.
func ParseUpdateToken(m *message.Message) (*UpdateToken, error) {
	if err := check(m, TypeUpdateToken); err != nil {
		return nil, err
	}
	return &UpdateToken{Token: string(m.Body)}, nil
}

// UpdateTokenResult answers an UpdateToken: nil Error is success. After a
// failure the router closes the channel.
type UpdateTokenResult struct{ Error *StructuredError }

// Encode makes UpdateTokenSuccess or UpdateTokenFailure; the channel adds ReplyFor.
func (r *UpdateTokenResult) Encode() *message.Message {
	if r.Error == nil {
		return message.New(TypeUpdateTokenSuccess, nil)
	}
	m := newMessage(TypeUpdateTokenFailure, fmt.Appendf(nil, "code: %d, message: %s", r.Error.Code, r.Error.Message))
	r.Error.put(&m.Headers)
	return m
}

// ParseUpdateTokenResult decodes both answers.
func ParseUpdateTokenResult(m *message.Message) (*UpdateTokenResult, error) {
	if m.Type == TypeUpdateTokenSuccess {
		return &UpdateTokenResult{}, nil
	}
	if err := check(m, TypeUpdateTokenFailure); err != nil {
		return nil, err
	}
	e := ParseStructuredError(m)
	if e == nil {
		e = &StructuredError{Message: string(m.Body), Code: CodeInternal}
	}
	return &UpdateTokenResult{Error: e}, nil
}
