package metrics

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process writes what every program shows of itself, by the names that are usual.
func (p *page) process(version string, started time.Time) {
	one := func(name, kind, help string, v float64) {
		p.head(name, kind, help)
		p.add(name, " ", number(v), "\n")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	one("go_goroutines", gauge, "Goroutines.", float64(runtime.NumGoroutine()))
	p.head("go_info", gauge, "The version of Go that the program was made with.")
	p.add("go_info{", label("version", runtime.Version()), "} 1\n")
	one("go_memstats_alloc_bytes", gauge, "Memory of live objects and of those that are not yet collected.", float64(m.Alloc))
	one("go_memstats_alloc_bytes_total", counter, "Memory allocated since the start.", float64(m.TotalAlloc))
	one("go_memstats_heap_objects", gauge, "Objects on the heap.", float64(m.HeapObjects))
	one("go_memstats_heap_idle_bytes", gauge, "Memory held for reuse, or given back to the system.", float64(m.HeapIdle))
	one("go_memstats_heap_released_bytes", gauge, "Memory given back to the system.", float64(m.HeapReleased))
	one("go_memstats_stack_inuse_bytes", gauge, "Memory of the stacks of goroutines.", float64(m.StackInuse))
	one("go_memstats_sys_bytes", gauge, "Memory asked of the system.", float64(m.Sys))
	one("go_memstats_last_gc_time_seconds", gauge, "Unix time of the last collection of garbage.", float64(m.LastGC)/1e9)
	one("go_gc_cycles_total", counter, "Collections of garbage since the start.", float64(m.NumGC))
	one("go_gc_pause_seconds_total", counter, "Time that everything stood still for collections of garbage.", float64(m.PauseTotalNs)/1e9)
	p.head("weft_build_info", gauge, "The version of the program.")
	p.add("weft_build_info{", label("version", version), ",", label("go", runtime.Version()), "} 1\n")
	one("process_start_time_seconds", gauge, "Unix time of the start of the process.", float64(started.UnixMilli())/1e3)
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) == nil {
		one("process_cpu_seconds_total", counter, "Time that the process has computed.", seconds(use.Utime)+seconds(use.Stime))
	}
	if size, resident, ok := memory(); ok {
		one("process_resident_memory_bytes", gauge, "Memory of the process that is in the machine's memory.", resident)
		one("process_virtual_memory_bytes", gauge, "Addresses of the process.", size)
	}
	if open, err := filepath.Glob("/proc/self/fd/*"); err == nil && len(open) > 0 {
		one("process_open_fds", gauge, "Open files and connections.", float64(len(open)))
	}
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Cur < math.MaxInt64 {
		one("process_max_fds", gauge, "Files and connections that may be open.", float64(files.Cur))
	}
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// memory returns the sizes that the system tells, in bytes.
func memory() (size, resident float64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, 0, false
	}
	size, err1 := strconv.ParseFloat(fields[0], 64)
	resident, err2 := strconv.ParseFloat(fields[1], 64)
	unit := float64(os.Getpagesize())
	return size * unit, resident * unit, err1 == nil && err2 == nil
}
