package channel

import (
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Thousands of connections that say nothing cost a bounded amount of memory,
// and nobody else notices them.
func TestManySilentConnections(t *testing.T) {
	n := 10_000
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur < 8000 {
		t.Skip("too few file descriptors")
	}
	n = min(n, int(limit.Cur)-4000)
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	before := heap()
	silent := make([]net.Conn, 0, n)
	defer func() {
		for _, c := range silent {
			c.Close()
		}
	}()
	for i := range n {
		c, err := net.DialTimeout("tcp", m.Addr().String(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, c)
		if i == n/2 || i == n-1 {
			start := time.Now()
			c := dial(t, m, nil, Options{})
			if _, err := c.Request(t.Context(), message.New(TypePing, nil)); err != nil {
				t.Fatal(err)
			}
			t.Logf("after %d connections: a client connects in %v", i+1, time.Since(start))
		}
	}
	if used := heap() - before; used > 48<<20 {
		t.Errorf("%d MiB in use", used>>20)
	} else {
		t.Logf("%d KiB in use", used>>10)
	}
}

// heap returns the bytes in use by heap and stacks.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapInuse + s.StackInuse)
}
