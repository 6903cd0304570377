// Package blackbox attacks the real binary from outside and watches its life
// cycle: it builds cmd/weft, starts networks of processes on loopback ports and
// treats them the way a hostile or unlucky world would. After every attack the
// process must live, its log must say what happened, and everybody else must
// be served as before.
package blackbox

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

const (
	adminUser     = "admin"
	adminPassword = "blackbox-admin-1"

	underRace = testnet.UnderRace
	slowdown  = testnet.Slowdown

	// patience bounds how long a test waits for a condition; it is no measure of
	// speed.
	patience = slowdown * 30 * time.Second
)

// program is the program under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait more than they work.
	if err := flag.Set("test.parallel", strconv.Itoa(24/slowdown)); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testing.Short() {
		fmt.Println("blackbox: left out in short mode")
		return 0
	}
	dir, err := os.MkdirTemp("", "weft-blackbox")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	raiseFileLimit()
	if program, err = testnet.Program(context.Background(), "../..", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if code != 0 {
		shared.tell()
	}
	if err := shared.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// raiseFileLimit lets this process and its children open as many files as the
// machine allows.
func raiseFileLimit() {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) == nil {
		l.Cur = l.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l)
	}
}
