package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net"
	"strconv"
	"time"
)

// leadsBackTime bounds the test of an advertised address.
const leadsBackTime = 3 * time.Second

const remedyAddress = "give --address a name or IP of this machine that reaches it, also from itself"

// leadsBack reports whether connections to address, as others know it, reach
// the listener l of this process: it dials the address, sends a random text
// and looks whether that arrives at l. Nothing else may accept from l
// meanwhile.
func leadsBack(ctx context.Context, l net.Listener, address string) error {
	ctx, cancel := context.WithTimeout(ctx, leadsBackTime)
	defer cancel()
	nonce := make([]byte, 16)
	rand.Read(nonce)

	port := l.Addr().(*net.TCPAddr).Port
	target := net.JoinHostPort(address, strconv.Itoa(port))
	arrived := make(chan bool, 1)
	go func() { arrived <- expect(ctx, l, nonce) }()

	conn, err := new(net.Dialer).DialContext(ctx, "tcp", target)
	if err == nil {
		_, err = conn.Write(nonce)
		defer conn.Close()
	}
	if err != nil {
		cancel()
		<-arrived
		return problem(remedyAddress, "the address %s does not lead back to this machine: %v", target, err)
	}
	if !<-arrived {
		return problem(remedyAddress, "the address %s leads to another machine or process", target)
	}
	return nil
}

// expect accepts from l until a connection brings nonce or ctx ends, and
// reports which. It leaves l open and usable.
func expect(ctx context.Context, l net.Listener, nonce []byte) bool {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return false
	}
	stop := context.AfterFunc(ctx, func() { tcp.SetDeadline(time.Now()) })
	defer func() {
		stop()
		tcp.SetDeadline(time.Time{})
	}()
	for ctx.Err() == nil {
		conn, err := tcp.Accept()
		if err != nil {
			return false
		}
		got := make([]byte, len(nonce))
		deadline, _ := ctx.Deadline()
		conn.SetReadDeadline(deadline)
		_, err = io.ReadFull(conn, got)
		conn.Close()
		if err == nil && bytes.Equal(got, nonce) {
			return true
		}
	}
	return false
}
