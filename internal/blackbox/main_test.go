// Package blackbox attacks the real binary from outside and watches its life
// cycle: it builds cmd/weft, starts networks of processes on loopback ports and
// treats them the way a hostile or unlucky world would. After every attack the
// process must live, its log must say what happened, and everybody else must
// be served as before.
package blackbox

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const (
	adminUser     = "admin"
	adminPassword = "blackbox-admin-1"

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
	if program, err = build(dir); err != nil {
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

// build returns the program that WEFT_BINARY names, or compiles it.
func build(dir string) (string, error) {
	if given := os.Getenv("WEFT_BINARY"); given != "" {
		return filepath.Abs(given)
	}
	out := filepath.Join(dir, "weft")
	args := []string{"build", "-o", out}
	if underRace {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./cmd/weft")...)
	cmd.Dir = "../.."
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build weft: %w\n%s", err, text)
	}
	return out, nil
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
