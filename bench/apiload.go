package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// request is one request of a load, as it is sent.
type request struct {
	method, path string
	body         []byte
}

// loader sends requests over one connection that is kept alive. It does as little
// as it can: what is measured is the server.
type loader struct {
	conn  *tls.Conn
	in    *bufio.Reader
	out   bytes.Buffer
	token string
}

func newLoader(address, token string, cert *tls.Certificate) (*loader, error) {
	cfg := anyServer()
	if cert != nil {
		cfg.Certificates = []tls.Certificate{*cert}
	}
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", address, cfg)
	if err != nil {
		return nil, err
	}
	return &loader{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), token: token}, nil
}

// do sends a request and returns the answer's body, which is good until the next
// one if keep is set, else nil. Every status but a success is an error.
func (l *loader) do(r request, keep bool) ([]byte, error) {
	l.out.Reset()
	fmt.Fprintf(&l.out, "%s %s HTTP/1.1\r\nHost: localhost\r\nzt-session: %s\r\n", r.method, r.path, l.token)
	if r.body != nil {
		fmt.Fprintf(&l.out, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(r.body))
	}
	l.out.WriteString("\r\n")
	l.out.Write(r.body)
	if _, err := l.conn.Write(l.out.Bytes()); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if !keep && res.StatusCode < 300 {
		_, err = io.Copy(io.Discard, res.Body)
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: status %d: %s", r.method, r.path, res.StatusCode, body)
	}
	return body, err
}

// rates is what a load has measured.
type rates struct {
	perSecond float64
	p50, p99  time.Duration
	cpu       time.Duration // of the server, per request
}

// load sends requests at a concurrency, each over connections of their own, and
// takes the server's CPU time beside.
func load(address, token string, server *process, at, count int, next func(i int) request) (rates, error) {
	loaders := make([]*loader, at)
	for i := range loaders {
		l, err := newLoader(address, token, nil)
		if err != nil {
			return rates{}, err
		}
		defer l.conn.Close()
		loaders[i] = l
	}
	var (
		sent atomic.Int64
		mu   sync.Mutex
		all  = make([]time.Duration, 0, count)
	)
	spent, begin := server.cpu(), time.Now()
	err := peer.Parallel(at, func(w int) error {
		mine := make([]time.Duration, 0, count/at+1)
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		}()
		for {
			i := int(sent.Add(1)) - 1
			if i >= count {
				return nil
			}
			asked := time.Now()
			if _, err := loaders[w].do(next(i), false); err != nil {
				return err
			}
			mine = append(mine, time.Since(asked))
		}
	})
	took := time.Since(begin)
	if err != nil {
		return rates{}, err
	}
	slices.Sort(all)
	return rates{
		perSecond: float64(count) / took.Seconds(), p50: percentile(all, 0.5), p99: percentile(all, 0.99),
		cpu: (server.cpu() - spent) / time.Duration(count),
	}, nil
}

// medianRates takes the medians of several runs of one load.
func medianRates(runs []rates) rates {
	pick := func(f func(r rates) time.Duration) time.Duration {
		var all []time.Duration
		for _, r := range runs {
			all = append(all, f(r))
		}
		return median(all)
	}
	var per []float64
	for _, r := range runs {
		per = append(per, r.perSecond)
	}
	return rates{
		perSecond: median(per), p50: pick(func(r rates) time.Duration { return r.p50 }),
		p99: pick(func(r rates) time.Duration { return r.p99 }), cpu: pick(func(r rates) time.Duration { return r.cpu }),
	}
}
