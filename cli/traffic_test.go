package cli

import (
	"errors"
	"io"
	"net"
	"testing"
)

// What comes back is compared with what was sent, byte by byte.
func TestCompareEcho(t *testing.T) {
	const size = 200_000
	for _, tt := range []struct {
		name string
		host func(*net.TCPConn)
		code string // of the failure
	}{
		{"sends it back", func(c *net.TCPConn) { io.Copy(c, c) }, ""},
		{"changes a byte", func(c *net.TCPConn) {
			b := make([]byte, 1000)
			io.ReadFull(c, b)
			b[999]++
			c.Write(b)
			io.Copy(c, c)
		}, "DATA_DIFFERS"},
		{"ends early", func(c *net.TCPConn) {
			io.CopyN(c, c, 1000)
			c.CloseWrite()
			io.Copy(io.Discard, c)
		}, "DATA_LOST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			done := make(chan struct{})
			go func() {
				defer close(done)
				if c, err := l.Accept(); err == nil {
					tt.host(c.(*net.TCPConn))
					c.Close()
				}
			}()
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_, err = compareEcho(conn.(*net.TCPConn), size)
			conn.Close()
			<-done
			var f *failure
			if tt.code == "" && err != nil || tt.code != "" && (!errors.As(err, &f) || f.code != tt.code || f.remedy == "") {
				t.Errorf("%v, want %q", err, tt.code)
			}
		})
	}
}
