package testnet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program returns the path of the program under test: what WEFT_BINARY names,
// or else cmd/weft of the module at top, compiled into dir. It is compiled with
// the race detector when the caller is.
func Program(ctx context.Context, top, dir string) (string, error) {
	if given := os.Getenv("WEFT_BINARY"); given != "" {
		return filepath.Abs(given)
	}
	out := filepath.Join(dir, "weft")
	var flags []string
	if UnderRace {
		flags = append(flags, "-race")
	}
	return out, Build(ctx, top, out, "./cmd/weft", flags...)
}

// Build compiles the package pkg of the module at top into the file out. The
// error has what the compiler said.
func Build(ctx context.Context, top, out, pkg string, flags ...string) error {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", out}, flags...), pkg)...)
	cmd.Dir = top
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return nil
}
