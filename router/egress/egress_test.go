package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"tcp:localhost:80": "localhost:80",
		"tcp:[::1]:443":    "[::1]:443",
		"tcp:10.0.0.1:1":   "10.0.0.1:1",
		"tcp:localhost":    "",
		"tcp:localhost:":   "",
		"tcp:::1:80":       "",
		"udp:localhost:80": "localhost:80",
		"localhost:80":     "",
		"":                 "",
	} {
		got, err := parseAddress(Binding, in)
		if err == nil && got.at != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func TestCauseOf(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want ctrl.Cause
	}{
		"refused":     {&net.OpError{Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, ctrl.Cause_CONNECTION_REFUSED},
		"timeout":     {&net.OpError{Err: os.ErrDeadlineExceeded}, ctrl.Cause_DIAL_TIMED_OUT},
		"deadline":    {fmt.Errorf("dial: %w", context.DeadlineExceeded), ctrl.Cause_DIAL_TIMED_OUT},
		"no name":     {&net.OpError{Err: &net.DNSError{IsTimeout: true}}, ctrl.Cause_DNS_RESOLUTION_FAILED},
		"descriptors": {&net.OpError{Err: os.NewSyscallError("socket", syscall.EMFILE)}, ctrl.Cause_RESOURCES_NOT_AVAILABLE},
		"other":       {fmt.Errorf("no route"), ctrl.Cause_GENERIC},
	} {
		if got := causeOf(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSilentServer: a server that does not answer is given up in time.
func TestSilentServer(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 3 { // the queue of the listener is full then
		if c, err := net.DialTimeout("tcp", address, 50*time.Millisecond); err == nil {
			defer c.Close()
		}
	}
	transport := New(Config{ConnectTimeout: 50 * time.Millisecond})
	_, err = transport.Dial(t.Context(), nil, &ctrl.Egress{Address: "tcp:" + address})
	var d *forward.DialError
	if !errors.As(err, &d) || d.Cause != ctrl.Cause_DIAL_TIMED_OUT {
		t.Errorf("%v", err)
	}
}
