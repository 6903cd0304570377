package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// listenPath makes the hosting end of a path: tcp, tls, or weft IDENTITY SERVICE.
func listenPath(ctx context.Context, args []string) (net.Listener, error) {
	switch args[0] {
	case "tcp":
		return net.Listen("tcp", "127.0.0.1:0")
	case "tls":
		return listenTLS()
	case "weft":
		return listenWeft(ctx, args[1], args[2])
	}
	return nil, fmt.Errorf("unknown path %q", args[0])
}

// dialPath makes the dialing end: tcp ADDR, tls ADDR, or weft IDENTITY SERVICE.
func dialPath(ctx context.Context, args []string) (peer.Dialer, error) {
	switch args[0] {
	case "tcp":
		return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", args[1]) }, nil
	case "tls":
		d := &tls.Dialer{Config: anyServer()}
		return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", args[1]) }, nil
	case "weft":
		return dialWeft(ctx, args[1], args[2])
	}
	return nil, fmt.Errorf("unknown path %q", args[0])
}

// anyServer trusts every server: the limits measure encryption, not trust.
func anyServer() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

func listenTLS() (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
}

// relay is the honest ideal of a router: TLS in, TLS out, and nothing else.
func relay(target string) error {
	l, err := listenTLS()
	if err != nil {
		return err
	}
	fmt.Println(l.Addr().String())
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go pass(in, target)
		}
	}()
	return peer.UntilEOF()
}

func pass(in net.Conn, target string) {
	defer in.Close()
	out, err := tls.Dial("tcp", target, anyServer())
	if err != nil {
		return
	}
	defer out.Close()
	done := make(chan struct{}, 2)
	one := func(dst, src net.Conn) {
		_, _ = io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, peer.Chunk))
		_ = dst.(*tls.Conn).CloseWrite()
		done <- struct{}{}
	}
	go one(out, in)
	go one(in, out)
	<-done
	<-done
}
