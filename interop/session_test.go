package interop

import (
	"fmt"
	"testing"

	"github.com/openziti/edge-api/rest_management_api_client/api_session"
	"github.com/openziti/edge-api/rest_management_api_client/session"
)

// TestServiceSessionEnded dials again after an administrator has ended the
// session: the client gets a new one and connects.
func TestServiceSessionEnded(t *testing.T) {
	n := sharedNetwork(t)
	for name, p := range map[string]end{"ended-theirs": theirs("sdk", false), "ended-theirs-xgress": theirs("sdk", true), "ended-ours": ours()} {
		t.Run(name, func(t *testing.T) {
			id, _, _ := n.service(t, name, true)
			serve(t, theirs("sdk", false).listen(t, n, name))
			n.waitTerminators(t, id, 1)
			dial := p.dial(t, n, name)
			if err := tryEcho(dial); err != nil {
				t.Fatal(err)
			}
			filter := fmt.Sprintf("service=%q and type=\"Dial\"", id)
			list, err := n.admin.API.Session.ListSessions(session.NewListSessionsParams().WithFilter(&filter), nil)
			if err != nil || len(list.Payload.Data) == 0 {
				t.Fatalf("sessions: %v, %v", list, err)
			}
			for _, s := range list.Payload.Data {
				if _, err := n.admin.API.Session.DeleteSession(session.NewDeleteSessionParams().WithID(*s.ID), nil); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 { // before, while and after the router hears of it
				if err := tryEcho(dial); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestSessionsAreListed shows the sessions of a connected client, and ends them.
func TestSessionsAreListed(t *testing.T) {
	n := sharedNetwork(t)
	api := n.admin.API
	id, _, _ := n.service(t, "sessions", true)
	who, jwt := n.identity(t, "sessions-client", "sessions-dial", "sessions-host")
	ctx := contextOf(t, enrol(t, jwt))
	l, err := ctx.Listen("sessions")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n.waitTerminators(t, id, 1)
	filter := fmt.Sprintf("service=%q", id)
	sessions, err := api.Session.ListSessions(session.NewListSessionsParams().WithFilter(&filter), nil)
	if err != nil || len(sessions.Payload.Data) != 1 {
		t.Fatalf("sessions: %v, %v", sessions, err)
	}
	filter = fmt.Sprintf("identity=%q", who)
	logins, err := api.APISession.ListAPISessions(api_session.NewListAPISessionsParams().WithFilter(&filter), nil)
	if err != nil || len(logins.Payload.Data) == 0 {
		t.Fatalf("api sessions: %v, %v", logins, err)
	}
	for _, s := range logins.Payload.Data {
		if _, err := api.APISession.DeleteAPISessions(api_session.NewDeleteAPISessionsParams().WithID(*s.ID), nil); err != nil {
			t.Fatal(err)
		}
	}
}
