package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// listenPath makes the hosting end of a path: tcp, tls, or weft IDENTITY SERVICE.
func listenPath(ctx context.Context, args []string) (net.Listener, error) {
	switch args[0] {
	case "tcp", "tls":
		return listenPlain(args[0])
	case "weft":
		return listenWeft(ctx, args[1], args[2])
	}
	return nil, fmt.Errorf("unknown path %q", args[0])
}

// dialPath makes the dialing end: tcp ADDR, tls ADDR, or weft IDENTITY SERVICE.
func dialPath(ctx context.Context, args []string) (peer.Dialer, error) {
	switch args[0] {
	case "tcp", "tls":
		return func(ctx context.Context) (net.Conn, error) { return dialPlain(ctx, args[0], args[1]) }, nil
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
