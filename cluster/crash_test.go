package cluster

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// crashDir makes the test binary the process that is killed: it proposes
// commands in this directory and prints what was acknowledged.
const crashDir = "CLUSTER_TEST_CRASH_DIR"

// crashConfig takes snapshots all the time, so that kills hit them too.
func crashConfig(dir string) Config {
	cfg := testConfig(dir)
	cfg.SnapshotInterval, cfg.SnapshotThreshold, cfg.TrailingLogs = 5*time.Millisecond, 20, 10
	return cfg
}

func crashChild(dir string) int {
	n, err := Open(crashConfig(dir), new(list))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	if err := n.Ready(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				if _, _, err := n.Propose(ctx, []byte(id)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				fmt.Fprintf(os.Stdout, "%s\n", id) // one write: a kill cannot tear it
			}
		})
	}
	wg.Wait()
	return 1
}

// Every write that was acknowledged before a kill at any moment is there after
// the restart, once and in order.
func TestKillLosesNoAcknowledgedWrite(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		for _, id := range killedRun(t, dir, time.Duration(rand.IntN(150))*time.Millisecond) {
			acknowledged[id] = true
		}
	}
	start := time.Now()
	_, l := open(t, crashConfig(dir))
	t.Logf("%d acknowledged writes, ready again in %v", len(acknowledged), time.Since(start))
	seen := map[string]bool{}
	for _, id := range l.all() {
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
	}
	for id := range acknowledged {
		if !seen[id] {
			t.Errorf("acknowledged write %s is lost", id)
		}
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was ever acknowledged")
	}
}

// killedRun starts the process, kills it some time after its first
// acknowledgement and returns everything that it acknowledged.
func killedRun(t *testing.T, dir string, after time.Duration) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	var timer *time.Timer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if ids == nil {
			timer = time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
		ids = append(ids, lines.Text())
	}
	if timer == nil {
		cmd.Process.Kill()
	}
	cmd.Wait() // killed: the error says so
	if len(ids) == 0 {
		t.Fatalf("the process acknowledged nothing: %s", stderr.String())
	}
	return ids
}
