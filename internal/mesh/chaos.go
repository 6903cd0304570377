package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// ChaosOptions are those of a random run.
type ChaosOptions struct {
	Program string
	Seed    uint64
	For     time.Duration // faults go on at least so long
	Round   time.Duration // between two quiet points
	Out     io.Writer     // gets the log
}

// chaosPatience bounds every wait.
const chaosPatience = 90 * time.Second

// chaos is a random run.
type chaos struct {
	View
	o       ChaosOptions
	loads   []*load
	clients []*Client
	base    map[string]Use // of every process at the first quiet point

	begin  time.Time
	ending atomic.Bool // clients end, loads fail
	mu     sync.Mutex
	wrong  []error
}

// Chaos runs a mesh with steady transfers and dials, lets random faults happen
// to it, and looks at quiet points whether everything is as it has to be. The
// faults depend on the seed alone. The error tells everything that was wrong.
func Chaos(ctx context.Context, o ChaosOptions) (err error) {
	c := &chaos{o: o, begin: time.Now(), base: make(map[string]Use)}
	c.log("seed %d", o.Seed)
	if err := c.start(); err != nil {
		return err
	}
	defer func() {
		c.ending.Store(true)
		if err != nil && ctx.Err() == nil {
			c.log("failed: %v\n%s", err, c.Mesh.Logs())
		}
		for _, p := range c.Mesh.Processes() {
			_ = p.Thaw() // it could not end otherwise
		}
		for _, x := range c.clients {
			_ = x.Close()
		}
		err = errors.Join(err, c.Mesh.End())
	}()
	random := rand.New(rand.NewPCG(o.Seed, 0))
	if err := c.quiet("before the first fault"); err != nil {
		return err
	}
	first := time.Now()
	for round := 1; time.Since(first) < o.For && ctx.Err() == nil; round++ {
		c.log("round %d", round)
		for _, l := range c.loads {
			l.resume(c)
		}
		if err := c.suffer(ctx, plan(random, o.Round)); err != nil {
			return err
		}
		if err := c.quiet(fmt.Sprintf("after round %d", round)); err != nil {
			return err
		}
	}
	c.summary()
	return ctx.Err()
}

func (c *chaos) log(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.o.Out, "%8.3f  %s\n", time.Since(c.begin).Seconds(), fmt.Sprintf(format, args...))
}

// fault notes something that must not be.
func (c *chaos) fault(err error) {
	if c.ending.Load() {
		return
	}
	c.log("WRONG: %v", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, err)
}

func (c *chaos) start() (err error) {
	m, err := testnet.StartMesh(testnet.MeshOptions{
		Options: testnet.Options{Program: c.o.Program, Username: "admin", Password: "mesh-admin-1", Patience: chaosPatience},
		Routers: chaosRouters, Links: chaosLinks,
	})
	if err != nil {
		return err
	}
	c.View = View{m}
	defer func() {
		if err != nil {
			m.Kill()
		}
	}()
	on, err := m.Hosts.Add("server")
	if err != nil {
		return err
	}
	server, err := NewClient(on, "server", chaosPatience)
	if err != nil {
		return err
	}
	c.clients = append(c.clients, server)
	address := fmt.Sprintf("%s:7", on.Addr)
	if err := server.ListenPlain(address); err != nil {
		return err
	}
	for _, who := range []struct {
		name       string
		dial, host []string
		egress     string
	}{
		{"calm", []string{"r1"}, []string{"r5"}, "r5"},
		{"wild", []string{"r2", "r3"}, []string{"r3", "r4"}, "r4"},
	} {
		dialer, err := c.client(who.name+"-dialer", who.dial)
		if err != nil {
			return err
		}
		host, err := c.client(who.name+"-host", who.host)
		if err != nil {
			return err
		}
		hosted, egress := who.name+"-hosted", who.name+"-egress"
		if _, err := m.Service(hosted, map[string]any{"encryptionRequired": who.name == "wild"}); err != nil {
			return err
		}
		if err := host.Listen(hosted, len(who.host)); err != nil {
			return err
		}
		id, err := m.Service(egress, nil)
		if err != nil {
			return err
		}
		if _, err := m.Terminator(id, m.Router(who.egress), "tcp:"+address); err != nil {
			return err
		}
		for i, service := range []string{hosted, egress, hosted, egress} {
			c.loads = append(c.loads, &load{dialer: dialer, service: service, calm: who.name == "calm", random: rand.New(rand.NewPCG(c.o.Seed, uint64(i+1)))})
		}
	}
	return nil
}

func (c *chaos) client(name string, routers []string) (*Client, error) {
	on, err := c.Mesh.Hosts.Add(name)
	if err != nil {
		return nil, err
	}
	file, err := c.Mesh.Enrol(on, name, routers...)
	if err != nil {
		return nil, err
	}
	x, err := NewClient(on, name, chaosPatience)
	if err != nil {
		return nil, err
	}
	c.clients = append(c.clients, x)
	return x, x.Login(file)
}

// suffer lets the faults happen and ends each in its time.
func (c *chaos) suffer(ctx context.Context, faults []Fault) error {
	type event struct {
		at  time.Duration
		f   Fault
		end bool
	}
	var events []event
	for _, f := range faults {
		events = append(events, event{f.At, f, false}, event{f.At + f.For, f, true})
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
	begin := time.Now()
	for _, e := range events {
		select {
		case <-time.After(time.Until(begin.Add(e.at))):
		case <-ctx.Done():
			return nil
		}
		do, verb := c.inflict, ""
		if e.end {
			do, verb = c.undo, "end of "
		}
		c.log("%s%v", verb, e.f)
		if err := do(e.f); err != nil {
			return fmt.Errorf("%s%v: %w", verb, e.f, err)
		}
	}
	return nil
}

// quiet ends all faults and the load, and compares what is with what has to be.
func (c *chaos) quiet(when string) error {
	if err := c.mend(); err != nil {
		return err
	}
	if err := c.await("the mesh is whole", c.whole); err != nil {
		return fmt.Errorf("%s: %w", when, err)
	}
	for _, l := range c.loads {
		l.pause()
	}
	c.log("the load has stopped")
	for _, l := range c.loads {
		if err := l.probe(c); err != nil {
			c.fault(fmt.Errorf("%s: %s: %w", when, l.service, err))
		}
	}
	if err := c.await("nothing is left over", c.settled); err != nil {
		c.fault(fmt.Errorf("%s: %w", when, err))
	}
	if err := c.Mesh.Healthy(); err != nil {
		c.fault(err)
	}
	c.mu.Lock()
	err := errors.Join(c.wrong...)
	c.mu.Unlock()
	if err == nil {
		c.log("quiet %s: all is well", when)
	}
	return err
}

// await waits until cond returns nil, and logs now and then what it waits for.
func (c *chaos) await(what string, cond func() error) (err error) {
	said := time.Now()
	if testnet.Within(chaosPatience, func() bool {
		if err = cond(); err != nil && time.Since(said) > 5*time.Second {
			said = time.Now()
			c.log("waits: %.300s", err.Error())
		}
		return err == nil
	}) {
		c.log("%s", what)
	}
	return err
}

// whole returns nil when all processes and links are there.
func (c *chaos) whole() error {
	if !c.Mesh.AllOnline() {
		return errors.New("routers are not online")
	}
	links, err := c.Links()
	if err != nil {
		return err
	}
	var missing []string
	for _, l := range chaosLinks {
		if !slices.ContainsFunc(links, func(x Link) bool { return x.Between(l[0], l[1]) && x.Complete() && !x.Down }) {
			missing = append(missing, l[0]+"-"+l[1])
		}
	}
	if len(missing) > 0 || len(links) != len(chaosLinks) {
		return fmt.Errorf("links %s are not there, %d instead of %d: %+v", strings.Join(missing, " "), len(links), len(chaosLinks), links)
	}
	return nil
}

// settled returns nil when there is no circuit anywhere, all tables agree and no
// process has more than at the first time.
func (c *chaos) settled() error {
	circuits, err := c.Circuits()
	if err != nil {
		return err
	}
	if len(circuits) > 0 {
		return fmt.Errorf("%d circuits are left at the controller: %+v", len(circuits), circuits[0])
	}
	if err := c.Agree(); err != nil {
		return err
	}
	for i, p := range c.Mesh.Processes() {
		use, err := c.UseOf(p)
		if err != nil {
			return err
		}
		name := fmt.Sprint("process ", i)
		base, known := c.base[name]
		if !known {
			c.base[name] = use
			continue
		}
		if use.Goroutines > base.Goroutines+12 || use.Files > base.Files+12 {
			return fmt.Errorf("%v has %+v, at first %+v", p.Args, use, base)
		}
	}
	return nil
}

func (c *chaos) summary() {
	for _, l := range c.loads {
		c.log("%s: %d transfers and %d MiB whole, %d dials and %d transfers failed", l.service, l.done, l.bytes/mebibyte, l.refused, l.broken)
	}
}
