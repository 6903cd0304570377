package app

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
)

// obey does what a signal asks for; it reports whether the process is to end.
func (s *supervisor) obey(got os.Signal) (end bool) {
	switch got {
	case syscall.SIGUSR1:
		s.logRoutes()
	case syscall.SIGUSR2:
		pprof.StopCPUProfile()
		s.o.Log.Info("CPU profile stopped")
	case syscall.SIGQUIT:
		fmt.Fprintln(os.Stderr, stacks())
		s.o.Log.Warn("stopping after the dump of the stacks")
		return true
	}
	return false
}

// logRoutes writes the forwarding tables to the log, one line per circuit.
func (s *supervisor) logRoutes() {
	if s.router == nil {
		s.o.Log.Info("forwarding tables", "circuits", 0)
		return
	}
	routes := s.router.routes()
	s.o.Log.Info("forwarding tables", "circuits", len(routes))
	for _, r := range routes {
		s.o.Log.Info("forwarding table", "circuit", r.Circuit, "service", r.Service, "identity", r.Identity, "path", r.Path,
			"initiator", r.Initiator.String(), "terminator", r.Terminator.String())
	}
}

// maxStacks bounds a dump of stacks, in bytes.
const maxStacks = 64 << 20

// stacks returns the stacks of all goroutines.
func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		b := make([]byte, size)
		if n := runtime.Stack(b, true); n < size || size >= maxStacks {
			return string(b[:n])
		}
	}
}
