// Command chaos lets random faults happen to a mesh on hosts of its own, while
// data moves, and checks at quiet points that nothing was lost or is left over.
//
//	go run ./internal/mesh/chaos -seed 7 -for 10m
//
// The faults depend on the seed alone. It needs root; see docs/testing.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/weftnet/weft/internal/mesh"
	"github.com/weftnet/weft/internal/testnet"
)

func main() {
	mesh.MaybeEnd()
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the faults")
	length := flag.Duration("for", 10*time.Minute, "how long faults happen at least")
	round := flag.Duration("round", 20*time.Second, "time between two quiet points")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *seed, *length, *round); err != nil {
		fmt.Fprintf(os.Stderr, "chaos: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, seed uint64, length, round time.Duration) error {
	dir, err := os.MkdirTemp("", "weft-chaos")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := testnet.Program(ctx, ".", dir)
	if err != nil {
		return err
	}
	return mesh.Chaos(ctx, mesh.ChaosOptions{Program: program, Seed: seed, For: length, Round: round, Out: os.Stdout})
}
