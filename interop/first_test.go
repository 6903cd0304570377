package interop

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// prompt bounds what must not wait for any repetition.
const prompt = 2500 * time.Millisecond

// TestHostSpeaksFirst lets hosts send a banner as soon as they accept, like SSH
// and SMTP do: it must arrive at once, whole, and be followed by the rest.
func TestHostSpeaksFirst(t *testing.T) {
	n := sharedNetwork(t)
	ends := []end{theirs("sdk", false), theirs("sdk-flow", true), ours()}
	for _, encrypted := range []bool{true, false} {
		for _, host := range ends {
			for _, dialer := range ends {
				t.Run(fmt.Sprintf("%s/%s-to-%s", map[bool]string{true: "encrypted", false: "clear"}[encrypted], dialer.name, host.name), func(t *testing.T) {
					service := fmt.Sprintf("first-%v-%s-%s", encrypted, dialer.name, host.name)
					id, _, _ := n.service(t, service, encrypted)
					go accept(host.listen(t, n, service), greetAndEcho)
					n.waitTerminators(t, id, 1)
					dial := dialer.dial(t, n, service)
					for i := range 20 {
						c, err := dial(t.Context())
						if err != nil {
							t.Fatalf("dial %d: %v", i, err)
						}
						readBanner(t, c)
						echo(t, c)
						_ = c.Close()
						if t.Failed() {
							t.Fatalf("connection %d", i)
						}
					}
				})
			}
		}
	}
}

const (
	banner     = "220 ready"
	moreBanner = "\r\nand more of it\r\n"
)

func greetAndEcho(c net.Conn) {
	_, _ = io.WriteString(c, banner)
	_, _ = io.WriteString(c, moreBanner)
	_, _ = io.Copy(c, c)
}

// readBanner reads what the host sends before it has heard anything.
func readBanner(t *testing.T, c net.Conn) {
	t.Helper()
	start := time.Now()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, len(banner+moreBanner))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != banner+moreBanner {
		t.Errorf("banner %q: %v", got, err)
	}
	if d := time.Since(start); d > prompt {
		t.Errorf("the banner took %v", d)
	}
	_ = c.SetReadDeadline(time.Time{})
}

// TestHostSaysAndLeaves lets hosts send something and close at once: all of it
// arrives, then the end. The service is not encrypted, because the third-party
// dialer fails if the end comes before it has sent the header of its stream.
func TestHostSaysAndLeaves(t *testing.T) {
	n := sharedNetwork(t)
	ends := []end{theirs("sdk", false), theirs("sdk-flow", true), ours()}
	for _, host := range ends {
		for _, dialer := range ends {
			t.Run(dialer.name+"-to-"+host.name, func(t *testing.T) {
				service := fmt.Sprintf("leaves-%s-%s", dialer.name, host.name)
				id, _, _ := n.service(t, service, false)
				go accept(host.listen(t, n, service), func(c net.Conn) {
					_, _ = io.WriteString(c, banner)
					_ = c.(interface{ CloseWrite() error }).CloseWrite()
				})
				n.waitTerminators(t, id, 1)
				dial := dialer.dial(t, n, service)
				for i := range 10 {
					c, err := dial(t.Context())
					if err != nil {
						t.Fatalf("dial %d: %v", i, err)
					}
					start := time.Now()
					got, err := readAll(c)
					_ = c.Close()
					if string(got) != banner || err != nil || time.Since(start) > prompt {
						t.Fatalf("connection %d: %q, %v, after %v", i, got, err, time.Since(start))
					}
				}
			})
		}
	}
}
