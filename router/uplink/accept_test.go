package uplink

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/weftnet/weft/observe"
)

// TestEndWhileAControllerIsCalled ends an uplink while its only controller says
// nothing.
func TestEndWhileAControllerIsCalled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	called := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			called <- c
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	u := New(Config{
		Endpoints: []string{"tls:" + l.Addr().String()}, EndpointsFile: filepath.Join(t.TempDir(), "endpoints"),
		TLS: &tls.Config{InsecureSkipVerify: true}, Node: &crowd{}, Log: observe.Discard(), DialTimeout: time.Minute,
	})
	ended := make(chan error, 1)
	go func() { ended <- u.Run(ctx) }()
	c := <-called
	defer c.Close()
	cancel()
	must(t, <-ended)
}
