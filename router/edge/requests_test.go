package edge

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/edge"
)

// TestRequestsAreBoundedInBytes sends a request that alone is more than the
// router keeps for a client; what follows is served.
func TestRequestsAreBoundedInBytes(t *testing.T) {
	b := newBed(t)
	host := b.connect("host")
	host.host("web", false)
	s := b.connect("dialer")
	_, _, err := s.dial("web", false, func(c *edge.Connect) { c.Token = make([]byte, requestsBytes) })
	if err == nil || !strings.Contains(err.Error(), "too many requests at once") {
		t.Errorf("got %v", err)
	}
	c, _, err := s.dial("web", false)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
