package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/weftnet/weft/sdk"
)

// endMark is set in the environment of a process that is to be an end.
const endMark = "WEFT_MESH_END"

// MaybeEnd turns the process into an end, if it was started as one, and does
// not return then. Programs that start ends call it first.
func MaybeEnd() {
	if os.Getenv(endMark) == "" {
		return
	}
	if err := serveEnd(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// end is a process that dials and hosts for a test.
type end struct {
	client *sdk.Client

	mu        sync.Mutex
	listeners map[string]net.Listener
	conns     map[int]*held
	last      int
	records   map[uint64]*transfer // of hosted transfers
	open      int                  // hosted connections

	out sync.Mutex
}

// held is a dialed connection.
type held struct {
	conn conn
	run  *transfer // nil before the first
}

func serveEnd(in io.Reader, out io.Writer) error {
	e := &end{listeners: make(map[string]net.Listener), conns: make(map[int]*held), records: make(map[uint64]*transfer)}
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); err != nil {
			return nil // the test has ended
		}
		go func() {
			a, err := e.do(r)
			a.Number, a.Failure = r.Number, failure(err)
			e.out.Lock()
			defer e.out.Unlock()
			_ = answers.Encode(a)
		}()
	}
}

func (e *end) do(r request) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout)
	defer cancel()
	switch r.Op {
	case "login":
		return answer{}, e.login(ctx, r.Identity)
	case "listen":
		return answer{}, e.listen(ctx, r)
	case "unlisten":
		e.mu.Lock()
		l := e.listeners[r.Service+r.Address]
		e.mu.Unlock()
		return answer{}, l.Close()
	case "dial":
		return e.dial(ctx, r)
	case "record":
		return answer{Record: e.hosted(r.Seed)}, nil
	case "open":
		e.mu.Lock()
		defer e.mu.Unlock()
		return answer{Open: e.open}, nil
	}
	return e.doConn(r)
}

func (e *end) doConn(r request) (answer, error) {
	e.mu.Lock()
	h := e.conns[r.Conn]
	var run *transfer
	if h != nil {
		run = h.run
	}
	e.mu.Unlock()
	if h == nil {
		return answer{}, fmt.Errorf("%s of an unknown connection", r.Op)
	}
	switch r.Op {
	case "prepare":
		t := &transfer{head: head{kindTransfer, r.Seed, r.Up, r.Down, int64(r.Rate)}, conn: h.conn, release: make(chan struct{})}
		if !r.Hold {
			close(t.release)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		h.run = t
		return answer{}, nil
	case "transfer":
		err := run.dialer()
		return answer{Record: run.record()}, err
	case "release":
		close(run.release)
		return answer{}, nil
	case "progress":
		return answer{Record: run.record()}, nil
	case "echo":
		trips, err := echo(h.conn, r.Count, r.Size)
		return answer{Trips: trips}, err
	case "close":
		if r.Half {
			return answer{}, h.conn.CloseWrite()
		}
		e.mu.Lock()
		delete(e.conns, r.Conn)
		e.mu.Unlock()
		return answer{}, h.conn.Close()
	}
	return answer{}, fmt.Errorf("unknown operation %q", r.Op)
}

func (e *end) login(ctx context.Context, file string) error {
	identity, err := sdk.LoadIdentity(file)
	if err != nil {
		return err
	}
	if e.client, err = sdk.New(identity, sdk.Options{RefreshInterval: 10 * time.Second}); err != nil {
		return err
	}
	return e.client.Login(ctx)
}

func (e *end) listen(ctx context.Context, r request) (err error) {
	var l net.Listener
	if r.Address != "" {
		l, err = net.Listen("tcp", r.Address)
	} else {
		l, err = e.client.ListenWithOptions(ctx, r.Service, sdk.ListenOptions{
			MaxTerminators: r.Terminators, Instance: r.Instance, Backlog: 4096,
		})
	}
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.listeners[r.Service+r.Address] = l
	e.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go e.serve(c.(conn))
		}
	}()
	return nil
}

func (e *end) serve(c conn) {
	e.count(1)
	defer e.count(-1)
	defer c.Close()
	h, err := readHead(c)
	if err != nil {
		return
	}
	if h.Kind == kindEcho {
		if _, err := io.Copy(c, struct{ io.Reader }{c}); err == nil {
			_ = c.CloseWrite()
		}
		return
	}
	t := &transfer{head: h, conn: c}
	e.mu.Lock()
	e.records[h.Seed] = t
	e.mu.Unlock()
	_ = t.host() // in its record
}

func (e *end) count(n int) {
	e.mu.Lock()
	e.open += n
	e.mu.Unlock()
}

func (e *end) hosted(seed uint64) Record {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.records[seed]; t != nil {
		return t.record()
	}
	return Record{Failure: &Failure{Text: "no such transfer was hosted here"}}
}

func (e *end) dial(ctx context.Context, r request) (answer, error) {
	var c conn
	var circuit string
	if r.Address != "" {
		plain, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.Address)
		if err != nil {
			return answer{}, err
		}
		c = plain.(*net.TCPConn)
	} else {
		dialed, err := e.client.DialWithOptions(ctx, r.Service, sdk.DialOptions{Instance: r.Instance})
		if err != nil {
			return answer{}, err
		}
		c, circuit = dialed, dialed.CircuitID()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.conns[e.last] = &held{conn: c}
	return answer{Conn: e.last, Circuit: circuit}, nil
}

// echo measures round trips; the first one opens the connection.
func echo(c conn, count, size int) ([]time.Duration, error) {
	if err := (head{Kind: kindEcho}).write(c); err != nil {
		return nil, err
	}
	out, in := make([]byte, size), make([]byte, size)
	trips := make([]time.Duration, 0, count)
	for i := range count {
		NewStream(uint64(i)).Fill(out)
		begin := time.Now()
		if _, err := c.Write(out); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(c, in); err != nil {
			return nil, err
		}
		trips = append(trips, time.Since(begin))
		if !slices.Equal(in, out) {
			return nil, errors.New("other bytes come back")
		}
	}
	return trips, nil
}
