package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/weftnet/weft/conf"
)

// proxied returns a dial function that makes TCP connections through the
// HTTP proxy of p, which base reaches; a nil base stands for a net.Dialer.
// Without a proxy it returns base, which may be nil. Host names are resolved by
// the proxy. Connections to the loopback interface go through it too.
func proxied(base dialFunc, p *conf.Proxy) dialFunc {
	if p == nil || p.Type != "http" {
		return base
	}
	if base == nil {
		base = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := base(ctx, "tcp", p.Address.String())
		if err == nil {
			if err = connect(ctx, conn, p, address); err == nil {
				return conn, nil
			}
			conn.Close()
		}
		return nil, proxyError(fmt.Sprintf("the HTTP proxy %s did not connect to %s: %v", p.Address, address, err))
	}
}

// proxyError hides what went wrong between here and a proxy, so that a proxy
// that refuses connections does not pass for a server that does.
type proxyError string

func (e proxyError) Error() string { return string(e) }

// connect asks a proxy for a tunnel to address.
func connect(ctx context.Context, conn net.Conn, p *conf.Proxy, address string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err := tunnel(conn, p, address)
	if !stop() {
		return context.Cause(ctx)
	}
	return err
}

func tunnel(conn net.Conn, p *conf.Proxy, address string) error {
	request := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if p.Username != "" || p.Password != "" {
		request += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(p.Username+":"+p.Password)) + "\r\n"
	}
	if _, err := conn.Write([]byte(request + "\r\n")); err != nil {
		return err
	}
	header, err := readHeader(conn)
	if err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(header)), &http.Request{Method: http.MethodConnect})
	switch {
	case err != nil:
		return fmt.Errorf("it is not an HTTP proxy: %w", err)
	case response.StatusCode == http.StatusProxyAuthRequired:
		return fmt.Errorf("it answered %s; set username and password in the proxy section", response.Status)
	case response.StatusCode/100 != 2:
		return fmt.Errorf("it answered %s", response.Status)
	}
	return nil
}

// maxProxyAnswer bounds the header of a proxy's answer in bytes.
const maxProxyAnswer = 16 << 10

// readHeader reads up to the first empty line and not a byte more: what follows
// belongs to the tunnel.
func readHeader(conn net.Conn) ([]byte, error) {
	var header []byte
	for one := make([]byte, 1); !bytes.HasSuffix(header, []byte("\r\n\r\n")); header = append(header, one[0]) {
		if len(header) == maxProxyAnswer {
			return nil, errors.New("its answer has no end")
		}
		if _, err := conn.Read(one); err != nil {
			return nil, err
		}
	}
	return header, nil
}
