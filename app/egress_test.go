package app

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
	"github.com/weftnet/weft/wire/ctrl"
)

// TestEgressSaysWhy: a server that the router does not reach is told to the
// dialing program with its cause and with what to do.
func TestEgressSaysWhy(t *testing.T) {
	n := newTestNetwork(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	guest := n.identity("guest")
	for _, tt := range []struct{ name, address, code, remedy string }{
		{"refused", "tcp:" + nobody, ctrl.CodeConnectionRefused, "start the server at tcp:" + nobody + ", which router router dials"},
		{"unresolved", "tcp:nobody.invalid:80", ctrl.CodeNameNotResolved, "tcp:nobody.invalid:80"},
		{"malformed", "tcp:127.0.0.1", ctrl.CodeMisconfigured, "tcp:host:port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			serviceID, _ := n.service(tt.name, false)
			if _, err := n.admin.Management().CreateTerminator(testContext(t), &client.TerminatorInput{
				Service: &serviceID, Router: &n.router.id, Binding: client.Ptr("transport"), Address: &tt.address,
			}); err != nil {
				t.Fatal(err)
			}
			_, err := guest.Dial(testContext(t), tt.name)
			var e *sdk.Error
			if !errors.As(err, &e) || !errors.Is(err, sdk.ErrUnreachable) || e.Code != tt.code || !strings.Contains(sdk.Help(err), tt.remedy) {
				t.Fatalf("%v, remedy %q", err, sdk.Help(err))
			}
			if strings.Contains(err.Error(), e.Remedy) || strings.Count(err.Error(), "failed to establish connection") != 1 {
				t.Errorf("said twice: %v", err)
			}
		})
	}
}
