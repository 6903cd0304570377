package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	ossignal "os/signal"
	"syscall"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/observe"
)

// Process is a controller, a router, or both: what Supervise runs to its end.
type Process interface {
	// Failed receives the reason when the process cannot go on.
	Failed() <-chan error
	// Close stops the process and waits.
	Close() error
	// halves returns what the process consists of; one may be nil.
	halves() (*Controller, *Router)
}

func (c *Controller) halves() (*Controller, *Router) { return c, nil }
func (r *Router) halves() (*Controller, *Router)     { return nil, r }
func (u *Up) halves() (*Controller, *Router)         { return u.controller, u.router }

// AgentOptions are the options of a process's agent.
type AgentOptions struct {
	Enabled  bool
	Address  string // unix:PATH, empty for the user's directory of sockets
	Alias    string // by which the command line finds the process
	DebugOps bool   // allow operations that break things
}

// SuperviseOptions are the options of Supervise.
type SuperviseOptions struct {
	App    string // controller, router or up
	Agent  AgentOptions
	Levels *observe.Levels
	Build  Build
	Log    *slog.Logger
}

// supervisor is a running process with its agent.
type supervisor struct {
	o          SuperviseOptions
	process    Process
	controller *Controller // nil without one
	router     *Router     // nil without one
	started    time.Time
	stop       chan time.Duration // asks for an orderly stop within that time
}

// stopBound is how long a process that was told to end may take before it is
// given up.
const stopBound = 20 * time.Second

// Supervise serves the agent of a process and obeys signals until the process
// fails or is to end, then closes it. It returns why the process could not go
// on, nil for an orderly end.
func Supervise(ctx context.Context, p Process, o SuperviseOptions) error {
	s := &supervisor{o: o, process: p, started: time.Now(), stop: make(chan time.Duration, 1)}
	s.controller, s.router = p.halves()
	signals := make(chan os.Signal, 8) // before anybody can find the process
	ossignal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGQUIT)
	defer ossignal.Stop(signals)
	server, err := s.listen()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	err = s.wait(ctx, signals)
	err = errors.Join(err, s.close())
	if server != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}

// listen opens the agent's socket. A process does without one, unless it was
// told which.
func (s *supervisor) listen() (*agent.Server, error) {
	a := s.o.Agent
	if !a.Enabled {
		return nil, nil
	}
	server, err := agent.Listen(agent.Config{
		Info:    agent.Info{App: s.o.App, ID: s.id(), Alias: a.Alias, Version: s.o.Build.Version},
		Address: a.Address, DebugOps: s.debugOps(), Log: s.o.Log, Operations: s.operations(),
	})
	if err != nil && (a.Address != "" || a.Alias != "") {
		return nil, err
	}
	if err != nil {
		s.o.Log.Warn("no agent: this process cannot be inspected", "error", err, "remedy", remedyOf(err))
		return nil, nil
	}
	s.o.Log.Info("agent listening", "socket", server.Path())
	return server, nil
}

func remedyOf(err error) string {
	var helpful interface{ Help() string }
	if errors.As(err, &helpful) {
		return helpful.Help()
	}
	return ""
}

func (s *supervisor) id() string {
	if s.controller != nil {
		return s.controller.id
	}
	return s.router.id
}

func (s *supervisor) debugOps() bool {
	return s.o.Agent.DebugOps || s.router != nil && s.router.o.Config.EnableDebugOps
}

// wait returns when the process is to end, or why it cannot go on.
func (s *supervisor) wait(ctx context.Context, signals <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.process.Failed():
			return err
		case within := <-s.stop:
			return s.drain(ctx, signals, within)
		case got := <-signals:
			if s.obey(got) {
				return nil
			}
		}
	}
}

// drain waits until the router carries no circuit any more, for some time, which
// another stop replaces.
func (s *supervisor) drain(ctx context.Context, signals <-chan os.Signal, within time.Duration) error {
	if s.router == nil {
		return nil
	}
	limit := time.NewTimer(within)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := s.router.table.Len()
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.process.Failed():
			return err
		case <-limit.C:
			s.o.Log.Warn("stopping with circuits in use", "circuits", left, "within", within)
			return nil
		case within = <-s.stop: // the operator has thought again
			limit.Reset(within)
		case got := <-signals:
			if s.obey(got) {
				return nil
			}
		case <-tick.C:
		}
	}
}

// close closes the process within the bound.
func (s *supervisor) close() error {
	done := make(chan error, 1)
	go func() { done <- s.process.Close() }()
	limit := time.NewTimer(stopBound)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		s.o.Log.Error("the process does not stop", "after", stopBound, "stacks", stacks())
		return fmt.Errorf("the process did not stop within %s", stopBound)
	}
}
