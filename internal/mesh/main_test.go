package mesh

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// patience bounds how long a test waits for a condition; it is no measure of
// speed.
const patience = 30 * time.Second

var (
	program string // under test
	kept    = flag.String("logs", "", "directory for the logs of all processes")
	longToo = flag.Bool("all", false, "long scenarios under the race detector, too")
)

// long leaves a scenario out under the race detector: the short ones show its
// races as well.
func long(t *testing.T) {
	t.Helper()
	if testnet.UnderRace && !*longToo {
		t.Skip("takes long: runs without the race detector, or with -all")
	}
}

func TestMain(m *testing.M) {
	MaybeEnd()
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testing.Short() {
		fmt.Println("mesh: left out in short mode")
		return 0
	}
	hosts, err := testnet.NewHosts()
	if errors.Is(err, testnet.ErrNoHosts) {
		fmt.Println("mesh: left out:", err)
		return 0
	}
	if err == nil {
		err = hosts.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "weft-mesh")
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
	if shared.mesh != nil {
		if *kept != "" {
			keepLogs(shared.mesh)
		}
		if err := shared.mesh.End(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

func keepLogs(m *testnet.Mesh) {
	for i, p := range m.Processes() {
		var text []byte
		for _, l := range p.Log(0) {
			text = append(append(text, l...), '\n')
		}
		_ = os.WriteFile(filepath.Join(*kept, fmt.Sprintf("%d.log", i+1)), text, 0o600)
	}
}
