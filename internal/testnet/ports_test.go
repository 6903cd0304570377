package testnet

import (
	"net"
	"strconv"
	"testing"
)

// TestFreePort: beyond the end of a block, too, every port is another one that
// can be listened at, and no first port of a block.
func TestFreePort(t *testing.T) {
	seen := make(map[int]bool)
	for range blockSize + 10 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] || port < firstPort || port >= lastPort || (port-firstPort)%blockSize == 0 {
			t.Fatalf("port %d", port)
		}
		seen[port] = true
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
}
