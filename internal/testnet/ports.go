package testnet

import (
	"errors"
	"net"
	"strconv"
	"sync"
)

// Ports are given out below the range that the system gives to outgoing
// connections, of which tests open thousands. Processes that run at the same
// time share the range by blocks: the first port of a block stays open in the
// process that has the block.
const (
	firstPort = 12000
	lastPort  = 30000 // not included
	blockSize = 200
)

var ports struct {
	mu    sync.Mutex
	claim []net.Listener // kept open until the process ends
	next  int            // in the last block
	end   int            // of the last block
}

// FreePort returns a TCP port that nobody uses at the moment and that no other
// caller gets, in this process or in another. It is safe for concurrent use.
func FreePort() (int, error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	for {
		if ports.next == ports.end {
			if err := claimBlock(); err != nil {
				return 0, err
			}
		}
		port := ports.next
		ports.next++
		if l, err := listen(port); err == nil {
			return port, l.Close()
		}
	}
}

// claimBlock takes the first block whose first port is free, behind those that
// this process had.
func claimBlock() error {
	for block := max(firstPort, ports.end); block < lastPort; block += blockSize {
		if l, err := listen(block); err == nil {
			ports.claim = append(ports.claim, l)
			ports.next, ports.end = block+1, block+blockSize
			return nil
		}
	}
	return errors.New("no free port below those of outgoing connections")
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("0.0.0.0", strconv.Itoa(port)))
}
