package app

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStrangersAreBounded: connections on which nobody authenticates give way
// to new ones, oldest first; those with a login stay.
func TestStrangersAreBounded(t *testing.T) {
	var log bytes.Buffer
	started, release := make(chan struct{}), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/known":
			acquainted(r)
		case "/slow":
			close(started)
			<-release
		}
		_, _ = io.WriteString(w, "ok")
	})}
	watchStrangers(server, "web[0]", 3, slog.New(slog.NewTextHandler(&log, nil)))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }()
	type peer struct {
		net.Conn
		r *bufio.Reader
	}
	dial := func() *peer {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		return &peer{c, bufio.NewReader(c)}
	}
	send := func(p *peer, path string) { _, _ = io.WriteString(p, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n") }
	ask := func(p *peer, path string) error {
		send(p, path)
		answer, err := http.ReadResponse(p.r, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
		}
		return err
	}
	known := dial()
	if err := ask(known, "/known"); err != nil {
		t.Fatal(err)
	}
	busy := dial()
	send(busy, "/slow")
	<-started
	var guests []*peer
	for range 20 {
		p := dial()
		if err := ask(p, "/"); err != nil {
			t.Fatalf("a new connection: %v", err)
		}
		guests = append(guests, p)
	}
	left := 0
	for i, p := range guests {
		// A server goes idle after its answer is read: which of the older ones stay is its affair.
		if err := ask(p, "/"); err == nil {
			left++
		} else if i == len(guests)-1 {
			t.Errorf("the newest connection: %v", err)
		}
	}
	if left != 2 {
		t.Errorf("%d connections are left beside the one with a request, want 2", left)
	}
	if err := ask(known, "/"); err != nil {
		t.Errorf("the authenticated connection: %v", err)
	}
	close(release)
	if answer, err := http.ReadResponse(busy.r, nil); err != nil || answer.StatusCode != 200 {
		t.Errorf("the request in progress: %v", err)
	}
	server.Close()
	<-served
	if lines := strings.Count(log.String(), "too many connections without login"); lines != 1 {
		t.Errorf("%d lines:\n%s", lines, log.String())
	}
}
