package mesh

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// Client is a process on a host that dials and hosts for a test, through the
// SDK or by plain TCP. Its methods are safe for concurrent use.
type Client struct {
	Name    string
	Process *testnet.Process

	patience time.Duration
	in       *os.File

	mu      sync.Mutex
	number  int
	waiting map[int]chan answer
	gone    bool
}

// errGone is the failure of requests to a client that has ended.
var errGone = errors.New("the client process has ended")

// NewClient starts a client on a host. It is this program once more, which has
// to call MaybeEnd. patience bounds every request but transfers.
func NewClient(h *testnet.Host, name string, patience time.Duration) (*Client, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	theirs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	answers, out := io.Pipe()
	c := &Client{Name: name, Process: h.NewProcess(program), patience: patience, in: in, waiting: make(map[int]chan answer)}
	c.Process.Env = []string{endMark + "=" + name}
	c.Process.Input, c.Process.Output = theirs, out
	if err := c.Process.Start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	go c.read(answers)
	go func() {
		<-c.Process.Ended()
		out.Close()
	}()
	return c, nil
}

// Close ends the client.
func (c *Client) Close() error {
	err := c.in.Close()
	select {
	case <-c.Process.Ended():
	case <-time.After(c.patience):
		c.Process.Kill()
	}
	return err
}

func (c *Client) read(in *io.PipeReader) {
	for d := json.NewDecoder(in); ; {
		var a answer
		if d.Decode(&a) != nil {
			break
		}
		c.mu.Lock()
		ch := c.waiting[a.Number]
		delete(c.waiting, a.Number)
		c.mu.Unlock()
		ch <- a
	}
	in.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, ch := range c.waiting {
		close(ch)
	}
}

// begin sends a request; the channel gets the answer, or is closed.
func (c *Client) begin(r request) (<-chan answer, error) {
	if r.Timeout == 0 {
		r.Timeout = c.patience
	}
	ch := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, errGone
	}
	c.number++
	r.Number = c.number
	c.waiting[r.Number] = ch
	b, err := json.Marshal(r)
	if err == nil {
		_, err = c.in.Write(append(b, '\n'))
	}
	return ch, err
}

func (c *Client) call(r request) (answer, error) {
	ch, err := c.begin(r)
	if err != nil {
		return answer{}, err
	}
	return wait(ch)
}

func wait(ch <-chan answer) (answer, error) {
	a, open := <-ch
	if !open {
		return a, errGone
	}
	if a.Failure != nil {
		return a, a.Failure
	}
	return a, nil
}

// Login logs in with an identity file.
func (c *Client) Login(file string) error {
	_, err := c.call(request{Op: "login", Identity: file})
	return err
}

// Listen hosts a service through so many routers.
func (c *Client) Listen(service string, terminators int) error {
	_, err := c.call(request{Op: "listen", Service: service, Terminators: terminators})
	return err
}

// ListenAs hosts one instance of a service through one router.
func (c *Client) ListenAs(service, instance string) error {
	_, err := c.call(request{Op: "listen", Service: service, Instance: instance, Terminators: 1})
	return err
}

// ListenPlain serves TCP at host:port.
func (c *Client) ListenPlain(address string) error {
	_, err := c.call(request{Op: "listen", Address: address})
	return err
}

// Unlisten ends a listener of either kind.
func (c *Client) Unlisten(name string) error {
	_, err := c.call(request{Op: "unlisten", Service: name})
	return err
}

// Hosted is what the client knows of a transfer that it hosted.
func (c *Client) Hosted(seed uint64) (Record, error) {
	a, err := c.call(request{Op: "record", Seed: seed})
	return a.Record, err
}

// Open is the number of connections that it hosts at the moment.
func (c *Client) Open() (int, error) {
	a, err := c.call(request{Op: "open"})
	return a.Open, err
}

// Conn is a connection that a client has dialed.
type Conn struct {
	Circuit string // its id, empty for plain TCP

	client *Client
	number int
}

// Dial connects to a service. A refusal is a *Failure.
func (c *Client) Dial(service string) (*Conn, error) {
	return c.dial(request{Op: "dial", Service: service})
}

// DialAs connects to one instance of a service.
func (c *Client) DialAs(service, instance string) (*Conn, error) {
	return c.dial(request{Op: "dial", Service: service, Instance: instance})
}

// DialWithin is Dial with a bound of time.
func (c *Client) DialWithin(service string, timeout time.Duration) (*Conn, error) {
	return c.dial(request{Op: "dial", Service: service, Timeout: timeout})
}

// DialPlain connects to host:port by TCP.
func (c *Client) DialPlain(address string) (*Conn, error) {
	return c.dial(request{Op: "dial", Address: address})
}

func (c *Client) dial(r request) (*Conn, error) {
	a, err := c.call(r)
	if err != nil {
		return nil, err
	}
	return &Conn{Circuit: a.Circuit, client: c, number: a.Conn}, nil
}

// Echo sends messages one after the other, each when the one before is back,
// and returns how long each took.
func (c *Conn) Echo(count, size int) ([]time.Duration, error) {
	a, err := c.client.call(request{Op: "echo", Conn: c.number, Count: count, Size: size})
	return a.Trips, err
}

// Close closes the connection.
func (c *Conn) Close() error {
	_, err := c.client.call(request{Op: "close", Conn: c.number})
	return err
}

// CloseWrite ends what the client sends.
func (c *Conn) CloseWrite() error {
	_, err := c.client.call(request{Op: "close", Conn: c.number, Half: true})
	return err
}

// Load is what a transfer moves.
type Load struct {
	Up, Down int64 // bytes from the dialer, and to it
	Rate     int   // bytes per second in each direction, 0 is not bounded
	Hold     bool  // the dialer reads nothing before Release
}

// seeds are those of transfers.
var seeds atomic.Uint64

// Transfer is a load on its way.
type Transfer struct {
	Seed uint64

	conn *Conn
	done <-chan answer
}

// Start begins to move a load over the connection, which is used up by it.
func (c *Conn) Start(l Load) (*Transfer, error) {
	t := &Transfer{Seed: seeds.Add(2), conn: c}
	if _, err := c.client.call(request{Op: "prepare", Conn: c.number, Seed: t.Seed, Up: l.Up, Down: l.Down, Rate: l.Rate, Hold: l.Hold}); err != nil {
		return nil, err
	}
	var err error
	t.done, err = c.client.begin(request{Op: "transfer", Conn: c.number})
	return t, err
}

// Progress is what has come so far.
func (t *Transfer) Progress() (Record, error) {
	a, err := t.conn.client.call(request{Op: "progress", Conn: t.conn.number})
	return a.Record, err
}

// Release lets a held transfer read.
func (t *Transfer) Release() error {
	_, err := t.conn.client.call(request{Op: "release", Conn: t.conn.number})
	return err
}

// Wait returns what was moved when all is, both ends have checked it, or it has
// failed. It is for one caller.
func (t *Transfer) Wait() (Record, error) {
	a, err := wait(t.done)
	return a.Record, err
}
