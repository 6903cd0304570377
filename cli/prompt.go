package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// readSecret asks for a secret on the terminal without showing it, or reads a
// line where standard input is no terminal.
func readSecret(cmd *cobra.Command, prompt string) (string, error) {
	if f, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		defer fmt.Fprintln(cmd.ErrOrStderr())
		fd := int(f.Fd())
		return interruptible(cmd.Context(), fd, func() (string, error) {
			b, err := term.ReadPassword(fd)
			return string(b), err
		})
	}
	line, err := readLine(cmd)
	if err == nil && line == "" {
		err = usageError("give it by a flag, by its variable (WEFT_PASSWORD, WEFT_NEW_PASSWORD, WEFT_CODE), or on standard input", "no %s", strings.TrimSuffix(prompt, ": "))
	}
	return line, err
}

// interruptible reads from a terminal until the context ends, and then puts the
// terminal back as it was. A read that has begun cannot be taken back: it goes
// on until the process ends.
func interruptible(ctx context.Context, fd int, read func() (string, error)) (string, error) {
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(fd, state))
	}
}

// confirm asks a question; without a terminal the answer is no.
func confirm(cmd *cobra.Command, question string) bool {
	f, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	fmt.Fprint(cmd.ErrOrStderr(), question)
	line, err := interruptible(cmd.Context(), int(f.Fd()), func() (string, error) { return readLine(cmd) })
	return err == nil && (strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"))
}

// lineReader reads lines, all in all at most 64 KiB.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReader(io.LimitReader(r, 64<<10))}
}

// readLine reads one line of standard input.
func readLine(cmd *cobra.Command) (string, error) { return newLineReader(cmd.InOrStdin()).next() }

// next returns the next line without its end, empty at the end of the input.
func (l *lineReader) next() (string, error) {
	line, err := l.r.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
