package mesh

import (
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/weftnet/weft/sdk"
)

// request is a line of JSON from the test to an end.
type request struct {
	Number int
	Op     string // see end.do and end.doConn

	Identity    string // login: file
	Service     string // listen, dial
	Address     string // listen, dial: plain TCP instead of a service
	Terminators int    // listen
	Instance    string // listen, dial
	Timeout     time.Duration

	Conn  int    // all that concern a connection
	Seed  uint64 // transfer, record
	Up    int64  // transfer: bytes from here
	Down  int64  // transfer: bytes to here
	Rate  int    // transfer: bytes per second in each direction, 0 is not bounded
	Hold  bool   // transfer: do not read before release
	Count int    // echo
	Size  int    // echo
	Half  bool   // close: only what is written
}

// answer is the line that belongs to a request.
type answer struct {
	Number  int
	Failure *Failure `json:",omitempty"`

	Conn    int
	Circuit string
	Record  Record
	Trips   []time.Duration
	Open    int
}

// Failure is an error of an end.
type Failure struct {
	Text    string
	Code    string // of the network's refusal, empty if it is none
	Timeout bool
}

// Error implements error.
func (f *Failure) Error() string { return f.Text }

func failure(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: err.Error()}
	var refused *sdk.Error
	if errors.As(err, &refused) {
		f.Code = refused.Code
	}
	var timeout interface{ Timeout() bool }
	f.Timeout = errors.As(err, &timeout) && timeout.Timeout()
	return f
}

// Record is what an end knows of a transfer. Sent counts what it wrote,
// received what came and was right.
type Record struct {
	Sent, Received int64
	Done           bool
	Failure        *Failure `json:",omitempty"`
}

// Kinds of connections.
const (
	kindTransfer byte = 't'
	kindEcho     byte = 'e'
)

// head is what a dialer sends first.
type head struct {
	Kind     byte
	Seed     uint64
	Up, Down int64
	Rate     int64
}

func (h head) write(w io.Writer) error {
	b := binary.LittleEndian.AppendUint64([]byte{h.Kind}, h.Seed)
	for _, n := range []int64{h.Up, h.Down, h.Rate} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	_, err := w.Write(b)
	return err
}

func readHead(r io.Reader) (h head, err error) {
	var b [33]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return head{}, err
	}
	h.Kind, h.Seed = b[0], binary.LittleEndian.Uint64(b[1:])
	for i, n := range []*int64{&h.Up, &h.Down, &h.Rate} {
		*n = int64(binary.LittleEndian.Uint64(b[9+8*i:]))
	}
	return h, nil
}
