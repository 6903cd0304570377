// Command bench measures Weft beside the limits of the machine it runs on: raw
// TCP, raw TLS and a chain of plain TLS relays with as many processes and hops,
// in the same run and interleaved. Figures are medians; ratios are what to quote.
//
//	go run ./bench all          everything below, in a few minutes
//	go run ./bench chain        the limits alone: TCP, TLS, and chains of plain relays
//	go run ./bench throughput   streams, CPU seconds per GiB
//	go run ./bench latency      round trips
//	go run ./bench dials        dials per second
//	go run ./bench idle         memory and CPU of silent connections and circuits
//	go run ./bench api          logins, lists and creates per second
//	go run ./bench controller   the APIs with 10,000 and 100,000 identities, beside a bare handler
//	go run ./bench start        from an empty directory to the first byte
//
// With -go-sdk the unmodified Go SDK of the ecosystem is measured beside.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weftnet/weft/internal/testnet"
)

type command struct {
	name string
	run  func(ctx context.Context, s settings) error
}

// settings are the flags shared by all measurements.
type settings struct {
	rounds int   // repetitions, interleaved; the median counts
	bytes  int64 // per stream set
	count  int   // dials, round trips, entities or circuits
	binary string
	out    string // file for the process logs, empty = discard
	// profiles is a directory for CPU profiles of all processes, empty = none.
	profiles string
	goSDK    string   // program of interop/bench, empty = not measured
	paths    []string // names of the paths to measure, empty = all
	streams  numbers  // of throughput
}

// wants reports whether a path is to be measured.
func (s settings) wants(path string) bool { return len(s.paths) == 0 || slices.Contains(s.paths, path) }

// weftPaths are the wanted paths through Weft.
func (s settings) weftPaths() []string {
	var out []string
	for _, p := range weftPaths {
		if s.wants(p.name) {
			out = append(out, p.name)
		}
	}
	for _, name := range []string{"go-sdk", "go-sdk-win"} {
		if s.goSDK != "" && s.wants(name) {
			out = append(out, name)
		}
	}
	return out
}

// numbers is a flag with a comma-separated list.
type numbers []int

// String returns the list as it is written.
func (n *numbers) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*n)), " ", ","), "[]")
}

// Set reads the list.
func (n *numbers) Set(text string) error {
	*n = nil
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.Atoi(part)
		if err != nil || v < 1 {
			return fmt.Errorf("expected numbers such as 1,8,64")
		}
		*n = append(*n, v)
	}
	return nil
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench child:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	commands := []command{
		{"throughput", throughput}, {"latency", latency}, {"dials", dials},
		{"idle", idle}, {"api", apiRates}, {"controller", controllerRates}, {"start", start}, {"chain", chain}, {"all", all},
	}
	var withGoSDK bool
	var paths string
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := settings{streams: numbers{1, 8, 64, 1000}}
	fs.IntVar(&s.rounds, "rounds", 5, "repetitions of every measurement")
	fs.Int64Var(&s.bytes, "bytes", 512<<20, "bytes moved per throughput measurement")
	fs.IntVar(&s.count, "count", 0, "number of dials, round trips, circuits or entities (0: the measurement's own)")
	fs.StringVar(&s.binary, "weft", "", "binary to measure (default: built from this tree)")
	fs.StringVar(&s.out, "log", "", "file for the logs of the processes")
	fs.StringVar(&paths, "paths", "", "paths to measure, comma-separated (default: all); see docs/performance.md")
	fs.Var(&s.streams, "streams", "parallel streams of throughput")
	fs.BoolVar(&withGoSDK, "go-sdk", false, "measure the unmodified Go SDK of the ecosystem beside")
	fs.StringVar(&s.profiles, "profile", "", "directory for CPU profiles of the processes")
	if len(args) == 0 {
		return fmt.Errorf("name a measurement: all, chain, throughput, latency, dials, idle, api, controller or start")
	}
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if paths != "" {
		s.paths = strings.Split(paths, ",")
	}
	dir, err := os.MkdirTemp("", "weft-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if s.binary == "" && args[0] != "chain" {
		s.binary = filepath.Join(dir, "weft")
		if err := testnet.Build(ctx, ".", s.binary, "./cmd/weft"); err != nil {
			return err
		}
	}
	if withGoSDK {
		s.goSDK = filepath.Join(dir, "go-sdk")
		if err := testnet.Build(ctx, "interop", s.goSDK, "./bench"); err != nil {
			return err
		}
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(ctx, s)
		}
	}
	return fmt.Errorf("unknown measurement %q", args[0])
}

// chain measures the limits alone: what plain relays with the same processes
// and hops reach on this machine.
func chain(ctx context.Context, s settings) error {
	if len(s.paths) == 0 {
		for _, ideal := range ideals {
			s.paths = append(s.paths, ideal.name)
		}
	}
	if err := throughput(ctx, s); err != nil {
		return err
	}
	return latency(ctx, s)
}

// all is every measurement, one after the other.
func all(ctx context.Context, s settings) error {
	for _, m := range []command{{"throughput", throughput}, {"latency", latency}, {"dials", dials}, {"idle", idle}, {"api", apiRates}, {"start", start}} {
		fmt.Printf("\n== %s\n", m.name)
		if err := m.run(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}
