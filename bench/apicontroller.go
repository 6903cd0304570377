package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// report prints the figures of one controller as rows.
type report struct{ identities int }

func (r *report) head(title string) {
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\n%s, %d identities (load of the machine %.14s)\n%-44s %9s %10s %10s %12s\n", title, r.identities, load, "", "per s", "median", "p99", "server CPU")
}

func (r *report) row(name string, got rates, note string) {
	us := func(d time.Duration) string { return d.Round(time.Microsecond).String() }
	fmt.Printf("%-44s %9.0f %10s %10s %12s  %s\n", name, got.perSecond, us(got.p50), us(got.p99), us(got.cpu), note)
}

// controllerRates measures the APIs of a controller with 10,000 and 100,000
// identities, 1,000 services and 1,000 policies.
func controllerRates(ctx context.Context, s settings) error {
	sizes := []int{10000, 100000}
	if s.count > 0 {
		sizes = []int{s.count}
	}
	for _, size := range sizes {
		if err := controllerOf(ctx, s, size); err != nil {
			return fmt.Errorf("%d identities: %w", size, err)
		}
	}
	return nil
}

func controllerOf(ctx context.Context, s settings, size int) error {
	n, err := newNetwork(ctx, s, nil)
	if err != nil {
		return err
	}
	defer n.stop()
	r := &report{size}
	r.head("16 at once")
	f, err := n.fill(ctx, r, size)
	if err != nil {
		return err
	}
	n.settle(ctx)
	fmt.Printf("resident after the creates: %s; data directory: %s\n", mibs(n.now()), mibs(n.dataSize()))
	for _, phase := range []struct {
		name string
		run  func() error
	}{
		{"updates", func() error { return n.updates(r, f) }},
		{"reads", func() error { return n.reads(ctx, s, r, f) }},
		{"everything", func() error { return n.everything(ctx, r) }},
		{"visible", func() error { return n.visible(ctx, s) }},
		{"sessions", func() error { return n.manySessions(ctx, r) }},
		{"snapshot", func() error { return n.snapshot(ctx) }},
		{"restart", func() error { return n.restarts(ctx, s.rounds) }},
	} {
		if !s.wants(phase.name) {
			continue
		}
		if err := phase.run(); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	fmt.Printf("resident after the last: %s now, %s at most\n", mibs(n.now()), mibs(n.peak()))
	return nil
}

func mibs(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }

func (n *network) now() int64  { now, _ := n.controller.resident(); return now }
func (n *network) peak() int64 { _, peak := n.controller.resident(); return peak }

// settle waits until the controller has done what it does after changes, and
// has it collect its garbage.
func (n *network) settle(ctx context.Context) {
	for was := n.controller.cpu(); pause(ctx, 300*time.Millisecond); {
		now := n.controller.cpu()
		if now-was <= 10*time.Millisecond {
			break
		}
		was = now
	}
	_ = exec.CommandContext(ctx, n.binary, "agent", "gc", "--pid", strconv.Itoa(n.controller.cmd.Process.Pid)).Run() // figures are higher without
}

// dataSize is the size of the files of the controller's state.
func (n *network) dataSize() (total int64) {
	_ = filepath.Walk(filepath.Join(n.dir, "data"), func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// read is one request whose rate is measured.
type read struct {
	name, path string
	times      int
}

func filter(text string) string { return "filter=" + url.QueryEscape(text) }

// reads measures lists and details beside a bare handler of the same bytes.
func (n *network) reads(ctx context.Context, s settings, r *report, f filled) error {
	r.head("reads, 16 at once")
	bare, address, err := startChild(ctx, s, "answers", "bare")
	if err != nil {
		return err
	}
	defer bare.stop()
	last := r.identities - 1
	for _, q := range []read{
		{"detail of an identity", "/identities/" + f.identities[len(f.identities)/2], 6000},
		{"detail of a service", "/services/" + f.services[250], 6000},
		{"detail of a policy", "/service-policies/" + f.policies[250], 6000},
		{"list 100 identities", "/identities?limit=100", 600},
		{"list 100 services", "/services?limit=100", 600},
		{"filter: exact name", "/identities?" + filter(fmt.Sprintf(`name="identity-%06d"`, last)), 6000},
		{"filter: attribute, 100 of them", "/identities?limit=100&" + filter(`anyOf(roleAttributes)="team-77"`), 600},
		{"filter: contains, 100 of them", "/identities?limit=100&" + filter(`name contains "77"`), 50},
		{"who-can, 100 of them", "/who-can?limit=100&service=" + f.services[7], 100},
		{"what-can of an identity, 100 of them", "/what-can?limit=100&identity=" + f.identities[len(f.identities)/2], 600},
	} {
		path := management + q.path
		if err := n.copyAnswer(bare, path); err != nil {
			return err
		}
		get := func(int) request { return request{http.MethodGet, path, nil} }
		var ours, theirs []rates
		for range s.rounds {
			for _, side := range []struct {
				address string
				server  *process
				into    *[]rates
			}{{n.address(), n.controller, &ours}, {address, bare, &theirs}} {
				got, err := load(side.address, n.api.Token, side.server, 16, q.times, get)
				if err != nil {
					return err
				}
				*side.into = append(*side.into, got)
			}
		}
		o, t := medianRates(ours), medianRates(theirs)
		r.row(q.name, o, fmt.Sprintf("bare %.0f/s %v: %s of its rate", t.perSecond, t.cpu.Round(time.Microsecond), share(o.perSecond, t.perSecond)))
	}
	return n.ownServices(ctx, r)
}

// ownServices measures the services that an identity sees, as clients ask for them.
func (n *network) ownServices(ctx context.Context, r *report) error {
	id, err := n.enrolled(ctx, "reader", "team-33", "site-3")
	if err != nil {
		return err
	}
	l, _, err := n.login(id)
	if err != nil {
		return err
	}
	defer l.conn.Close()
	for _, limit := range []int{10, 100, 500} {
		path := fmt.Sprintf("/edge/client/v1/services?limit=%d", limit)
		body, err := l.do(request{http.MethodGet, path, nil}, true)
		if err != nil {
			return err
		}
		got, err := load(n.address(), l.token, n.controller, 1, 500, func(int) request { return request{http.MethodGet, path, nil} })
		if err != nil {
			return err
		}
		r.row(fmt.Sprintf("services of one identity, at most %d", limit), got, fmt.Sprintf("one at a time, %d services", strings.Count(string(body), `"encryptionRequired"`)))
	}
	return nil
}

// snapshot measures how long writing the state to a file takes.
func (n *network) snapshot(ctx context.Context) error {
	before, begin := n.controller.cpu(), time.Now()
	if err := n.api.Call(ctx, http.MethodPost, "/database/snapshot", nil, nil); err != nil {
		return err
	}
	took := time.Since(begin)
	files, err := filepath.Glob(filepath.Join(n.dir, "data", "*snapshot*"))
	var size int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !info.IsDir() {
			size = max(size, info.Size())
		}
	}
	fmt.Printf("snapshot to a file: %v, %v CPU, %s\n", took.Round(time.Millisecond), (n.controller.cpu() - before).Round(time.Millisecond), mibs(size))
	return err
}
