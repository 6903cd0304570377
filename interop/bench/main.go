// Command bench is one end of a measurement with the unmodified Go SDK of the
// ecosystem. The load program of the project starts it:
//
//	bench host FILE SERVICE    hosts the service
//	bench dial FILE SERVICE    dials it and carries out jobs from standard input
//
// With the word "window" after the service both ends keep their own window.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/weftnet/weft/bench/peer"
)

const timeout = time.Minute

func main() {
	signal.Ignore(os.Interrupt) // the end of standard input ends this process
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: bench host|dial FILE SERVICE [window]")
	}
	dir, err := quietRelease()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cfg, err := ziti.NewConfigFromFile(args[1])
	if err != nil {
		return err
	}
	client, err := ziti.NewContext(cfg)
	if err != nil {
		return err
	}
	window := len(args) > 3 && args[3] == "window"
	switch service := args[2]; args[0] {
	case "host":
		opts := ziti.DefaultListenOptions()
		opts.WaitForNEstablishedListeners = 1
		if window {
			opts.SdkFlowControl = &window
		}
		l, err := client.ListenWithOptions(service, opts)
		if err != nil {
			return err
		}
		return peer.Host(l)
	case "dial":
		if err := client.Authenticate(); err != nil {
			return err
		}
		opts := &ziti.DialOptions{ConnectTimeout: timeout}
		if window {
			opts.SdkFlowControl = &window
		}
		return peer.Dial(func(ctx context.Context) (net.Conn, error) { return client.DialContextWithOptions(ctx, service, opts) })
	}
	return fmt.Errorf("unknown role %q", args[0])
}

// quietRelease spares the SDK from starting a program at every dial, which asks
// for the name of the distribution: it reads that from a file if there is one.
func quietRelease() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "bench"); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "lsb-release"), []byte("DISTRIB_ID=bench\n"), 0o600); err != nil {
		return dir, err
	}
	return dir, os.Setenv("HOST_ETC", dir)
}
