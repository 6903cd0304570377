package interop

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/openziti/sdk-golang/ziti"

	"github.com/weftnet/weft/sdk"
)

// Environment of a run of the test binary that hosts a service until it is killed.
const (
	hostIdentity = "WEFT_INTEROP_IDENTITY" // file
	hostService  = "WEFT_INTEROP_SERVICE"
	hostKind     = "WEFT_INTEROP_SDK" // theirs or ours
)

// hostProcess is the main of such a run.
func hostProcess() int {
	err := func() error {
		var l net.Listener
		if os.Getenv(hostKind) == "ours" {
			id, err := sdk.LoadIdentity(os.Getenv(hostIdentity))
			if err != nil {
				return err
			}
			c, err := sdk.New(id, sdk.Options{})
			if err != nil {
				return err
			}
			if l, err = c.Listen(os.Getenv(hostService)); err != nil {
				return err
			}
		} else {
			cfg, err := ziti.NewConfigFromFile(os.Getenv(hostIdentity))
			if err != nil {
				return err
			}
			ctx, err := ziti.NewContext(cfg)
			if err != nil {
				return err
			}
			if l, err = ctx.Listen(os.Getenv(hostService)); err != nil {
				return err
			}
		}
		accept(l, func(c net.Conn) { _, _ = io.Copy(c, c) })
		return nil
	}()
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestHostKilled: a hosting process that is killed leaves no terminator, its
// connections end, and the next process of the same identity can be dialed.
func TestHostKilled(t *testing.T) {
	n := sharedNetwork(t)
	for _, kind := range []string{"theirs", "ours"} {
		t.Run(kind, func(t *testing.T) {
			service := "killed-" + kind
			id, _, _ := n.service(t, service, true)
			_, jwt := n.identity(t, service+"-identity", service+"-host")
			b, err := json.Marshal(enrol(t, jwt))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "identity.json")
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			start := func() *exec.Cmd {
				t.Helper()
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), hostIdentity+"="+file, hostService+"="+service, hostKind+"="+kind)
				cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
				return cmd
			}
			kill := func(cmd *exec.Cmd) { _ = cmd.Process.Kill(); _ = cmd.Wait() }
			dial := theirs("sdk", true).dial(t, n, service)
			host := start()
			n.waitTerminators(t, id, 1)
			for range 3 {
				c, err := dial(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				echo(t, c)
				kill(host)
				began := time.Now()
				n.waitTerminators(t, id, 0)
				if d := time.Since(began); d > 5*time.Second {
					t.Errorf("the dead terminator stayed for %v", d)
				}
				_ = c.SetReadDeadline(time.Now().Add(patience))
				if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
					t.Errorf("the connection to a dead host lives on: %v", err)
				}
				_ = c.Close()
				host = start()
				n.waitTerminators(t, id, 1)
				if !eventually(func() bool { return tryEcho(dial) == nil }) {
					t.Fatalf("the next process is not reached: %v", tryEcho(dial))
				}
			}
			// The next one starts before the network has seen the end of the last.
			for range 3 {
				last := host
				host = start()
				kill(last)
			}
			if !eventually(func() bool { return n.terminators(t, id) == 1 && tryEcho(dial) == nil }) {
				t.Fatalf("%d terminators, %v", n.terminators(t, id), tryEcho(dial))
			}
		})
	}
}
