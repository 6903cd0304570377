package mesh

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

const mebibyte = 1 << 20

// load is one dialer that transfers and dials anew, until it is paused.
type load struct {
	dialer  *Client
	service string
	// calm circuits have a way at all times: they must not fail. Others may fail,
	// but never lose bytes without a word.
	calm   bool
	random *rand.Rand

	stop chan struct{}
	over sync.WaitGroup

	done, refused, broken int // transfers, dials, transfers
	bytes                 int64
}

func (l *load) resume(c *chaos) {
	l.stop = make(chan struct{})
	l.over.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			default:
			}
			if c.ending.Load() {
				return
			}
			l.once(c)
		}
	})
}

// pause returns when the transfer that was under way is over.
func (l *load) pause() {
	if l.stop != nil {
		close(l.stop)
		l.over.Wait()
		l.stop = nil
	}
}

// once is a dial and a transfer of a size between nothing and a few seconds.
func (l *load) once(c *chaos) {
	size := Load{Up: l.random.Int64N(1 << l.random.IntN(24)), Down: l.random.Int64N(1 << l.random.IntN(24)), Rate: 2 * mebibyte}
	conn, err := l.dialer.DialWithin(l.service, 10*time.Second)
	if err != nil {
		l.refused++
		time.Sleep(50 * time.Millisecond)
		return
	}
	defer conn.Close()
	t, err := conn.Start(size)
	if err != nil {
		c.fault(err)
		return
	}
	begin := time.Now()
	rec, err := t.Wait()
	if took := time.Since(begin); took > 30*time.Second { // at most 8 s of it are its pace
		c.log("circuit %s to %s: transfer %d took %.0f s, %d bytes up and %d down, %v", conn.Circuit, l.service, t.Seed, took.Seconds(), rec.Sent, rec.Received, err)
	}
	switch {
	case err == nil:
		l.done++
		l.bytes += rec.Sent + rec.Received
	case l.calm || damaged(err):
		c.fault(fmt.Errorf("circuit %s to %s, transfer %d of %+v, %d bytes up and %d down: %w", conn.Circuit, l.service, t.Seed, size, rec.Sent, rec.Received, err))
	default:
		l.broken++
	}
}

// damaged reports whether an error tells of bytes that were lost, doubled or
// changed without a word of the network.
func damaged(err error) bool {
	text := err.Error()
	for _, sign := range []string{"wrong byte", "more than all", "the other end says", "bytes: EOF"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// probe wants the service to work now.
func (l *load) probe(c *chaos) error {
	begin := time.Now()
	var err, last error
	testnet.Within(chaosPatience, func() bool {
		var conn *Conn
		if conn, err = l.dialer.DialWithin(l.service, 10*time.Second); err == nil {
			defer conn.Close()
			_, err = conn.Echo(3, 1000)
		}
		if err != nil {
			last = err
		}
		return err == nil
	})
	if took := time.Since(begin); took > 5*time.Second {
		c.log("%s works again after %.0f s, before that %v", l.service, took.Seconds(), last)
	}
	return err
}
