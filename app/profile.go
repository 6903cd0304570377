package app

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/weftnet/weft/conf"
)

// startProfiles writes the profiles of a configuration until the returned
// function is called, which waits.
func startProfiles(c *conf.Profile) (stop func() error, err error) {
	if c == nil {
		return func() error { return nil }, nil
	}
	var p parts
	if c.CPU != nil {
		f, err := os.Create(c.CPU.Path)
		if err != nil {
			return nil, wrong("profile.cpu.path", fileRemedy, "%w", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, errors.Join(fmt.Errorf("profile.cpu: %w", err), f.Close())
		}
		p.add(func() error { pprof.StopCPUProfile(); return f.Close() })
	}
	if c.Memory != nil {
		if err := writeHeap(c.Memory.Path); err != nil {
			return nil, errors.Join(wrong("profile.memory.path", fileRemedy, "%w", err), p.Close())
		}
		p.add(heapEvery(c.Memory.Path, c.Memory.Interval))
	}
	return p.Close, nil
}

// heapEvery writes a heap profile every interval until the returned function is
// called.
func heapEvery(path string, interval time.Duration) func() error {
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				done <- writeHeap(path)
				return
			case <-ticker.C:
				if err := writeHeap(path); err != nil {
					<-stop
					done <- err
					return
				}
			}
		}
	}()
	return func() error { close(stop); return <-done }
}

func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}
