package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// apiRates fills the controller with identities and measures creates, lists,
// details and logins per second beside a bare handler of the same bytes.
func apiRates(ctx context.Context, s settings) error {
	n, err := newNetwork(ctx, s, nil)
	if err != nil {
		return err
	}
	defer n.stop()
	count := s.count
	if count == 0 {
		count = 10000
	}
	var next atomic.Int64
	create := func() error {
		name := fmt.Sprintf("identity-%06d", next.Add(1))
		_, err := n.api.Create(ctx, "identities", map[string]any{"name": name, "type": "Default", "isAdmin": false,
			"roleAttributes": []string{"all", name[len(name)-2:]}, "enrollment": map[string]any{"ott": true}})
		return err
	}
	rate, err := repeat(16, count, create)
	if err != nil {
		return err
	}
	fmt.Printf("create identity with enrolment, 16 at a time: %.0f/s (%d of them)\n", rate, count)
	var first []struct{ ID string }
	if err := n.api.Call(ctx, "GET", "/identities?limit=1", nil, &first); err != nil {
		return err
	}
	for _, m := range []struct {
		name, path string
		times      int
	}{
		{"list 100 identities", "/identities?limit=100", 500},
		{"list by exact name", `/identities?filter=name%3D%22identity-000777%22`, 2000},
		{"list by attribute", `/identities?filter=anyOf(roleAttributes)%3D%2277%22&limit=100`, 500},
		{"detail", "/identities/" + first[0].ID, 4000},
	} {
		before := n.controller.cpu()
		rate, err := repeat(16, m.times, func() error { return n.api.Call(ctx, http.MethodGet, m.path, nil, nil) })
		if err != nil {
			return err
		}
		cpu := (n.controller.cpu() - before) / time.Duration(m.times)
		fmt.Printf("%-22s %8.0f/s %12v server CPU each\n", m.name, rate, cpu.Round(time.Microsecond))
	}
	now, peak := n.controller.resident()
	fmt.Printf("controller resident: %s now, %s at most\n", kib(now), kib(peak))
	rate, err = repeat(4, 200, func() error {
		return n.api.Call(ctx, "POST", "/authenticate?method=password", map[string]string{"username": "admin", "password": password}, nil)
	})
	if err != nil {
		return err
	}
	fmt.Printf("logins by password: %.0f/s\n", rate)
	now, peak = n.controller.resident()
	fmt.Printf("controller resident after that: %s now, %s at most (hashing a password takes memory by design)\n", kib(now), kib(peak))
	return n.restarts(ctx, s.rounds)
}

// restarts measures from kill to the first accepted write.
func (n *network) restarts(ctx context.Context, rounds int) error {
	var all, cpu []time.Duration
	var resident []int64
	for i := range rounds {
		_ = n.controller.cmd.Process.Kill()
		_ = n.controller.cmd.Wait()
		token := n.api.Token
		begin := time.Now()
		if err := n.startController(ctx); err != nil {
			return err
		}
		n.api.Token = token
		if _, err := n.api.Create(ctx, "services", map[string]any{"name": fmt.Sprint("after restart ", i), "encryptionRequired": false}); err != nil {
			return fmt.Errorf("first write after a restart, with the session from before: %w", err)
		}
		all, cpu, resident = append(all, time.Since(begin)), append(cpu, n.controller.cpu()), append(resident, n.peak())
	}
	fmt.Printf("restart after a kill: first write accepted after %v, with the session from before; %v CPU, %s resident at most\n",
		median(all).Round(time.Millisecond), median(cpu), mibs(median(resident)))
	return nil
}

// repeat calls f count times, at most `at` at once, and returns calls per second.
func repeat(at, count int, f func() error) (float64, error) {
	var left atomic.Int64
	left.Store(int64(count))
	begin := time.Now()
	err := peer.Parallel(at, func(int) error {
		for left.Add(-1) >= 0 {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	})
	return float64(count) / time.Since(begin).Seconds(), err
}
