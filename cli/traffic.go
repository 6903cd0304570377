package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weftnet/weft/sdk"
)

// trafficFlags are what `ops verify traffic` is told.
type trafficFlags struct {
	prefix, mode  string
	cleanup, keep bool
	size          int
	timeout       time.Duration
}

const (
	modeBoth   = "both"
	modeClient = "client"
	modeServer = "server"
)

const trafficHelp = `Makes a service, its policies and two identities, hosts the service and dials it,
and compares what comes back with what was sent. The names begin with the prefix:
PREFIX.traffic, PREFIX.bind, PREFIX.dial, PREFIX.server, PREFIX.client. What the
command makes it takes away at the end.

With --mode server and --mode client the two sides are at different places, by the
same --prefix: the server waits for one client, the client for the server.`

// verifyTraffic proves that the network carries traffic.
func (t *tool) verifyTraffic() *cobra.Command {
	var o trafficFlags
	return t.action(action{use: "traffic", short: "Make a service, send data through the network and back, and clean up", changes: true,
		long: trafficHelp,
		example: "  weft ops verify traffic\n  weft ops verify traffic --prefix check --cleanup --size 10000000\n" +
			"  weft ops verify traffic --mode server --prefix check   # and elsewhere\n  weft ops verify traffic --mode client --prefix check",
		flags: func(f *pflag.FlagSet) {
			f.StringVarP(&o.prefix, "prefix", "x", "", "beginning of all names (default verify- and a random number)")
			f.StringVarP(&o.mode, "mode", "m", modeBoth, "side to be: both, server or client")
			f.BoolVar(&o.cleanup, "cleanup", false, "take away first what an earlier run of this prefix has left")
			f.BoolVar(&o.keep, "keep", false, "leave everything for a look at it")
			f.IntVar(&o.size, "size", 1<<20, "number of bytes to send and to get back")
			f.DurationVar(&o.timeout, "timeout", time.Minute, "time for each step, for the server also to wait for its client")
		},
		run: func(c *call, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return newTraffic(c, o).run()
		}})
}

func (o *trafficFlags) check() error {
	switch {
	case !slices.Contains([]string{modeBoth, modeClient, modeServer}, o.mode):
		return usageError("choose one of both, server, client", "unknown mode %q", o.mode)
	case o.mode != modeBoth && o.prefix == "":
		return usageError("give both sides the same --prefix", "a %s without a prefix does not find the other side", o.mode)
	case o.size < 1 || o.size > 1<<30:
		return usageError("write --size 1000000", "a size of %d is not between 1 and %d", o.size, 1<<30)
	case o.timeout <= 0:
		return usageError("write --timeout 1m", "a time of %s is too short", o.timeout)
	}
	if o.prefix == "" {
		random := make([]byte, 4)
		_, _ = rand.Read(random) // never fails
		o.prefix = "verify-" + hex.EncodeToString(random)
	}
	return nil
}

// traffic is one verification at work.
type traffic struct {
	*call
	trafficFlags
	name   trafficNames
	id     map[string]string // ids by name, of the service and identities
	made   []madeEntity
	gone   map[string]bool // names of what a dry run would have removed
	dialer *sdk.Client     // of the client's side, nil before it dials
	report trafficReport
}

// trafficNames are the names of the entities.
type trafficNames struct{ service, bind, dial, server, client string }

// madeEntity is what has to be taken away at the end.
type madeEntity struct{ many, name, id string }

func newTraffic(c *call, o trafficFlags) *traffic {
	p := o.prefix
	return &traffic{call: c, trafficFlags: o, id: map[string]string{}, gone: map[string]bool{},
		name:   trafficNames{service: p + ".traffic", bind: p + ".bind", dial: p + ".dial", server: p + ".server", client: p + ".client"},
		report: trafficReport{Prefix: p, Mode: o.mode, Steps: []trafficStep{}}}
}

// run does all steps and takes away what it has made, whatever has happened.
func (v *traffic) run() error {
	err := v.verify()
	if v.dry() {
		return err
	}
	if !v.keep {
		err = cmp.Or(err, v.step("clean up", v.takeAway))
	}
	v.report.OK = err == nil
	if printed := v.print(v.report.printout()); printed != nil {
		return printed
	}
	return err
}

func (v *traffic) verify() error {
	if v.cleanup {
		if err := v.step("clean up before", v.takeLeft); err != nil {
			return err
		}
	}
	if v.mode != modeClient {
		if err := v.step("service and policies", v.makeService); err != nil {
			return err
		}
	}
	sides := map[string][]string{modeBoth: {v.name.server, v.name.client}, modeServer: {v.name.server}, modeClient: {v.name.client}}[v.mode]
	if err := v.step("identities", func(ctx context.Context) (string, error) { return v.makeIdentities(ctx, sides) }); err != nil || v.dry() {
		return err
	}
	err := v.exchange()
	if v.dialer != nil {
		_ = v.dialer.Close() // nothing is in flight any more
	}
	return err
}

// step does one step within the time and records how it ended. A failure of the
// network beneath is explained with the rule that refuses.
func (v *traffic) step(name string, do func(context.Context) (string, error)) error {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(v.Context, v.timeout)
	defer cancel()
	detail, err := do(ctx)
	s := trafficStep{Step: name, Result: "ok", Detail: detail, Milliseconds: time.Since(begin).Milliseconds()}
	if err != nil {
		f := explain(err)
		s.Result, s.Detail, s.Code = "failed", f.cause, f.code
	}
	v.report.Steps = append(v.report.Steps, s)
	if isTerminal(v.cmd.ErrOrStderr()) && !v.dry() {
		v.say("%-20s %s", name, s.Result)
	}
	return err
}
