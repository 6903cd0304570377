package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPartsOfTheLog compares the parts with the directories of the program.
func TestPartsOfTheLog(t *testing.T) {
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			part := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../")
			if room, _, _ := strings.Cut(part, "/"); slices.Contains([]string{"internal", "bench", "cmd", "interop"}, room) || strings.HasSuffix(file, "_test.go") {
				continue
			}
			if !slices.Contains(packagesOfLog, part) {
				t.Errorf("%s has no entry in packagesOfLog", part)
			}
		}
	}
	for part, known := range map[string]bool{"router": true, "router/edge": true, "controller/http": true, "router/edg": false, "TYPO": false} {
		if knownPart(part) != known {
			t.Errorf("%s: known is %v", part, !known)
		}
	}
}
