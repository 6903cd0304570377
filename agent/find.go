package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a process that was found by its socket.
type Process struct {
	Description
	Address    string `json:"address"`              // unix:PATH
	Unanswered string `json:"unanswered,omitempty"` // why it said nothing; then there is only what the name of the socket tells
}

// Has reports whether the process has an operation. One that did not answer may
// have any.
func (p *Process) Has(operation string) bool {
	return p.Unanswered != "" || operation == "" ||
		slices.ContainsFunc(p.Operations, func(o Described) bool { return o.Name == operation })
}

// answerTime bounds how long a process may take to describe itself.
const answerTime = 2 * time.Second

// Find returns the user's processes that serve an agent, ordered by what they
// are and their number. It removes sockets that nobody serves any more. Directories
// into which others could have put a socket are left out; that is an error if
// nothing is found elsewhere.
func Find(ctx context.Context) ([]Process, error) {
	var found []Process
	var unsafe error // why a directory was left out
	var mu sync.Mutex
	var work sync.WaitGroup
	for _, dir := range Dirs() {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = checkDir(dir)
		}
		if err != nil {
			unsafe = &Error{Code: CodeFailed, Message: "agent sockets: " + err.Error(), Remedy: "remove the directory, or name the socket with --addr unix:PATH"}
			continue
		}
		for _, e := range entries {
			info, ok := parseFileName(e.Name())
			if !ok || e.Type() != fs.ModeSocket {
				continue
			}
			work.Go(func() {
				if p := look(ctx, filepath.Join(dir, e.Name()), info); p != nil {
					mu.Lock()
					defer mu.Unlock()
					found = append(found, *p)
				}
			})
		}
	}
	work.Wait()
	if len(found) == 0 && unsafe != nil {
		return nil, unsafe
	}
	slices.SortFunc(found, func(a, b Process) int { return cmp.Or(strings.Compare(a.App, b.App), a.PID-b.PID) })
	return found, ctx.Err()
}

// look asks the process of a socket what it is; nil if there is none.
func look(ctx context.Context, path string, known Info) *Process {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c := NewClient("unix:" + path)
	defer c.Close()
	d, err := c.Describe(ctx)
	if err == nil {
		return &Process{Description: *d, Address: "unix:" + path}
	}
	if errors.Is(err, fs.ErrNotExist) || abandoned(path) && os.Remove(path) == nil {
		return nil
	}
	return &Process{Description: Description{Info: known}, Address: "unix:" + path, Unanswered: err.Error()}
}

// settled is the age from which a socket that refuses connections belongs to
// nobody: younger ones may be about to be served.
const settled = 5 * time.Second

// abandoned reports whether nobody serves a socket any more.
func abandoned(path string) bool {
	c, err := net.DialTimeout("unix", path, answerTime)
	if err == nil {
		c.Close()
		return false
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return false
	}
	if info, ok := parseFileName(filepath.Base(path)); ok && ended(info.PID) {
		return true
	}
	stat, err := os.Lstat(path)
	return err == nil && time.Since(stat.ModTime()) > settled
}

// ended reports whether there is no process of that number.
func ended(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// Selector says which process is meant; empty members fit all.
type Selector struct {
	PID       int
	App       string // controller, router, up
	ID        string // of the controller or router
	Alias     string
	Operation string // that the process has to have
}

func (s Selector) fits(p *Process) bool {
	return (s.PID == 0 || s.PID == p.PID) && (s.App == "" || s.App == p.App) && (s.ID == "" || s.ID == p.ID) &&
		(s.Alias == "" || s.Alias == p.Alias) && p.Has(s.Operation)
}

// Pick returns the one process that a selector fits. The *Error says which
// there are if it fits none or several.
func Pick(all []Process, s Selector) (*Process, error) {
	var fit []*Process
	for i := range all {
		if s.fits(&all[i]) {
			fit = append(fit, &all[i])
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return nil, &Error{Code: CodeAmbiguous, Message: fmt.Sprintf("%d processes are meant: %s", len(fit), names(fit)), Remedy: "choose one with --pid, --alias, --id or --app"}
	case len(all) > 0:
		var running []*Process
		for i := range all {
			running = append(running, &all[i])
		}
		what := "no such process runs"
		if s.Operation != "" && s == (Selector{Operation: s.Operation}) {
			what = "no process that can do that runs"
		}
		return nil, &Error{Code: CodeNoProcess, Message: what + "; there are: " + names(running), Remedy: "see weft agent list"}
	}
	return nil, &Error{Code: CodeNoProcess, Message: "this user runs no controller and no router here",
		Remedy: "run the command as the user of the process, or name its socket with --addr unix:PATH"}
}

func names(ps []*Process) string {
	var out []string
	for _, p := range ps {
		text := fmt.Sprintf("%s %s (pid %d", p.App, p.ID, p.PID)
		if p.Alias != "" {
			text += ", alias " + p.Alias
		}
		out = append(out, text+")")
	}
	return strings.Join(out, ", ")
}
