package sdk

import (
	"errors"
	"net/http"
	"testing"

	"github.com/weftnet/weft/fault"
)

// TestRefusedSessionKeepsTheRemedy tells people what the controller knows of the
// case, and something general where it is a controller that says nothing.
func TestRefusedSessionKeepsTheRemedy(t *testing.T) {
	const remedy = "weft create service-policy NAME Dial --identity-roles '@me' --service-roles '@it'"
	notFound := Error{Status: http.StatusNotFound, Code: fault.NotFound.Code}
	field := Error{Status: http.StatusBadRequest, Code: fault.CouldNotValidate.Code, Cause: "ServiceId: service not found"}
	for _, tt := range []struct {
		name string
		e    Error
		want error
	}{
		{"not found", notFound, ErrServiceNotFound},
		{"not granted", field, ErrAccessDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Client{services: make(map[string]*Service)}
			for _, given := range []string{remedy, "", remedyOf(tt.e.Code)} {
				e := tt.e
				e.Remedy = given
				err := c.sessionRefused(&Service{Name: "it"}, "Dial", &e)
				help := Help(err)
				if !errors.Is(err, tt.want) || help == "" || (help == remedy) != (given == remedy) || given != remedy && help == given {
					t.Errorf("given %q: %v, remedy %q", given, err, help)
				}
			}
		})
	}
}
