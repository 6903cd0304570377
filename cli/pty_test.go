//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/weftnet/weft/cli"
)

// terminal is a pseudo terminal: what is typed at it and what it shows.
type terminal struct {
	t            *testing.T
	screen, keys *os.File // the master
	tty          *os.File // what the command has
	mu           sync.Mutex
	shown        bytes.Buffer
	more         *sync.Cond
	closed       bool
	done         chan struct{}
}

func openTerminal(t *testing.T) *terminal {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	var n, unlock uint32
	for _, call := range []struct {
		request uintptr
		value   *uint32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &n}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), call.request, uintptr(unsafe.Pointer(call.value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{t: t, screen: master, keys: master, tty: tty, done: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	go p.look()
	t.Cleanup(func() {
		tty.Close() // the last one: the master then reads an error
		<-p.done
		master.Close()
	})
	return p
}

func (p *terminal) look() {
	defer close(p.done)
	b := make([]byte, 4096)
	for {
		n, err := p.screen.Read(b)
		p.mu.Lock()
		p.shown.Write(b[:n])
		p.closed = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits until a text is on the screen, and returns all of it.
func (p *terminal) await(text string) string {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !strings.Contains(p.shown.String(), text) {
		if p.closed {
			p.t.Fatalf("the terminal never showed %q:\n%s", text, p.shown.String())
		}
		p.more.Wait()
	}
	return p.shown.String()
}

func (p *terminal) typed(text string) {
	p.t.Helper()
	if _, err := p.keys.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// flags are the local modes of the terminal, such as ECHO.
func (p *terminal) modes() uint32 {
	var state syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, p.tty.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state))); errno != 0 {
		p.t.Fatal(errno)
	}
	return state.Lflag
}

// start runs a command at the terminal.
func (p *terminal) start(ctx context.Context, c *controller, args ...string) (code chan int) {
	c.t.Setenv("WEFT_CONFIG_DIR", c.dir)
	code = make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, cli.Options{Version: "1.2.3", Stdin: p.tty, Stdout: p.tty, Stderr: p.tty}, args)
	}()
	return code
}

// A password is asked for and not shown.
func TestPasswordAtTerminal(t *testing.T) {
	c := newController(t)
	p := openTerminal(t)
	code := p.start(t.Context(), c, "login", c.server.URL, "-u", "admin")
	p.await("Trust them? [y/N] ")
	p.typed("y\n")
	p.await("password: ")
	p.typed("secret\n")
	all := p.await("valid until")
	if got := <-code; got != 0 || strings.Contains(all, "secret") {
		t.Errorf("exit code %d, and the screen\n%s", got, all)
	}
	if p.modes()&syscall.ECHO == 0 {
		t.Error("the terminal no longer shows what is typed")
	}
}

// Ctrl-C at a question ends the command and leaves the terminal as it was.
func TestInterruptAtPassword(t *testing.T) {
	c := newController(t)
	p := openTerminal(t)
	before := p.modes()
	ctx, interrupt := context.WithCancel(t.Context())
	code := p.start(ctx, c, "login", c.server.URL, "-u", "admin", "--ca", c.caFile())
	p.await("password: ")
	for p.modes()&syscall.ECHO != 0 { // the question stands before the mode changes
		runtime.Gosched()
	}
	interrupt()
	if got := <-code; got != cli.ExitInterrupted || p.modes() != before {
		t.Errorf("exit code %d, modes %x, before %x", got, p.modes(), before)
	}
	p.typed("\n") // ends the read, which a process would not outlive
}

// A list on a terminal is painted anew when it changes, and progress goes away.
func TestWatchAtTerminal(t *testing.T) {
	c := populated(t)
	p := openTerminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	code := p.start(ctx, c, "list", "services", "--watch", "--interval", "100ms")
	const clear = "\x1b[H\x1b[2J"
	first := p.await("s1  web")
	c.change(func() { c.add("services", "s2", "db", nil) })
	second := p.await("s2  db")
	interrupt()
	if got := <-code; got != cli.ExitInterrupted || strings.Count(first, clear) != 1 || strings.Count(second, clear) != 2 {
		t.Errorf("exit code %d, painted %d and %d times\n%q", got, strings.Count(first, clear), strings.Count(second, clear), second)
	}
}
