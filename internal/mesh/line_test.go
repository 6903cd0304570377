package mesh

import (
	"testing"
)

// TestOneRouter: circuits that begin and end at one router.
func TestOneRouter(t *testing.T) {
	f := diamond(t)
	for name, service := range map[string]string{"host": f.hosted(t, f.dialer), "egress": f.egress(t, "r1")} {
		t.Run(name, func(t *testing.T) {
			if _, err := dial(t, f.dialer, service).Echo(10, 1000); err != nil {
				t.Error(err)
			}
			complete(t, start(t, f.dialer, service, Load{Up: 10 << 20, Down: 10 << 20}))
		})
	}
}
