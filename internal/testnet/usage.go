package testnet

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Entries of a process's status for Memory.
const (
	Resident = "VmRSS"  // in memory now
	Peak     = "VmHWM"  // most that was in memory
	Allotted = "VmData" // asked for, used or not
)

// Memory reads an entry of the status of a running process, in bytes.
func Memory(pid int, entry string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == entry+":" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in the status of the process", entry)
}

// CPU is the time that a running process has spent so far, user and system.
func CPU(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may contain spaces.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("odd statistics of process %d: %q", pid, b)
	}
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100), nil
}

// Files is the number of files that a running process has open.
func Files(pid int) (int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries), err
}
