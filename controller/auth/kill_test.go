package auth

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestJournalOutlivesKill lets another process write and kills it at an
// arbitrary moment: whatever was flushed must be there afterwards.
func TestJournalOutlivesKill(t *testing.T) {
	if path := os.Getenv("WEFT_TEST_JOURNAL"); path != "" {
		writeForEver(path)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	path := filepath.Join(t.TempDir(), "journal")
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestJournalOutlivesKill$")
		cmd.Env = append(os.Environ(), "WEFT_TEST_JOURNAL="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		for s := bufio.NewScanner(out); s.Scan(); {
			if _, err := fmt.Sscanf(s.Text(), "flushed %d", &acknowledged); err == nil && acknowledged >= 200*(round+1) {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		entries, err := readJournal(path, log)
		if err != nil {
			t.Fatal(err)
		}
		for i := range acknowledged {
			if entries[fmt.Sprintf("a/%d", i)] == nil {
				t.Fatalf("round %d: entry %d of %d is lost", round, i, acknowledged)
			}
		}
	}
}

// writeForEver puts entries and reports what was flushed, until it is killed.
func writeForEver(path string) {
	j, _, err := openJournal(path, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		j.put(fmt.Sprintf("a/%d", i), map[string]int{"n": i})
		j.flush()
		fmt.Printf("flushed %d\n", i+1)
	}
}
