// Package field drives the real binary the way clients of the field do that
// cannot be installed beside these tests: the C SDK and its tunneler, the JVM
// SDK, zrok, and the command line of the ecosystem. Each is an emulation of its
// own: it sends what that client sends, in its order, and is as strict about
// the answers as that client.
package field

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

const (
	adminUser     = "admin"
	adminPassword = "field-admin-1"

	// patience bounds how long a test waits for a condition; it is no measure of
	// speed.
	patience = 30 * time.Second
)

// program is the program under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait more than they work.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testing.Short() {
		fmt.Println("field: left out in short mode")
		return 0
	}
	dir, err := os.MkdirTemp("", "weft-field")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = testnet.Program(context.Background(), "../..", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
