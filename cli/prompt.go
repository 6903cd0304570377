package cli

import (
	"bufio"
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
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
		return string(b), err
	}
	line, err := readLine(cmd)
	if err == nil && line == "" {
		err = usageError("give it on the command line or on standard input", "no %s", strings.TrimSuffix(prompt, ": "))
	}
	return line, err
}

// confirm asks a question; without a terminal the answer is no.
func confirm(cmd *cobra.Command, question string) bool {
	f, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	fmt.Fprint(cmd.ErrOrStderr(), question)
	line, err := readLine(cmd)
	return err == nil && (strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"))
}

// readLine reads one line of standard input, at most 64 KiB.
func readLine(cmd *cobra.Command) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
