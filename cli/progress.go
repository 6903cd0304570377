package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// say writes a line for people to standard error.
func (c *call) say(format string, args ...any) {
	fmt.Fprintf(c.cmd.ErrOrStderr(), format+"\n", args...)
}

// did says that something was changed; a dry run says nothing, since it has
// not.
func (c *call) did(what, kind, name string) {
	if !c.dry() && !c.tool.envelope {
		c.say("%s %s %s", what, kind, printable(name))
	}
}

// sure asks before something that cannot be undone. Without a terminal there is
// nobody to ask, and --yes must be given.
func (c *call) sure(yes bool, question string) error {
	if yes || c.dry() {
		return nil
	}
	if !isTerminal(c.cmd.InOrStdin()) {
		return usageError("repeat it with --yes", "%s: there is no terminal to ask on", question)
	}
	if !confirm(c.cmd, question+"? [y/N] ") {
		return &failure{code: "NOT_CONFIRMED", cause: "nothing was done", exit: ExitFailure}
	}
	return nil
}

// progress shows how far long work has come, on a terminal only. The zero value
// shows nothing.
type progress struct {
	w     io.Writer
	what  string
	total int64 // 0 if not known
	done  int64
	shown time.Time
	width int
}

// progress begins to show work on so many things; 0 if it is not known how
// many.
func (c *call) progress(what string, total int64) *progress {
	p := &progress{what: what, total: total, shown: time.Now()}
	if isTerminal(c.cmd.ErrOrStderr()) {
		p.w = c.cmd.ErrOrStderr()
	}
	return p
}

// step counts and shows the count a few times a second, after the first half
// second.
func (p *progress) step(n int64) {
	p.done += n
	if p.w == nil || time.Since(p.shown) < 400*time.Millisecond {
		return
	}
	p.shown = time.Now()
	text := fmt.Sprintf("%s %d", p.what, p.done)
	if p.total > 0 {
		text += fmt.Sprintf(" of %d", p.total)
	}
	p.put(text)
}

// end takes the line away.
func (p *progress) end() {
	if p.w != nil && p.width > 0 {
		p.put("")
		fmt.Fprint(p.w, "\r")
	}
}

func (p *progress) put(text string) {
	fmt.Fprint(p.w, "\r"+text+strings.Repeat(" ", max(0, p.width-len(text))))
	p.width = len(text)
}

// isTerminal reports whether a stream of the command is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
