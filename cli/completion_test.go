package cli_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

// asProgram makes the test binary the program, for shells to call.
const asProgram = "WEFT_TEST_AS_PROGRAM"

func runAsProgram() {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Run(context.Background(), cli.Options{Version: "1.2.3", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
	}
}

// completeInBash presses the tab key behind a command line in bash.
const completeInBash = `
weft() { ` + asProgram + `=1 "$PROGRAM" "$@"; }
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; }
compopt() { :; } # only while a shell completes
source <(weft completion bash) || exit 9
COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
__start_weft weft
printf '%s\n' "${COMPREPLY[@]}"
`

func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := populated(t)
	for _, tt := range []struct {
		words []string
		want  string // one of the answers, without what is said of it
	}{
		{[]string{"weft", "con"}, "context"},
		{[]string{"weft", "list", "servi"}, "services"},
		{[]string{"weft", "edge", "list", "identit"}, "identities"},
		{[]string{"weft", "list", "services", "-o", "ya"}, "yaml"},
		{[]string{"weft", "show", "service", "w"}, "web"},
		{[]string{"weft", "explain", "alice", "w"}, "web"},
		{[]string{"weft", "context", "use", "d"}, "default"},
		{[]string{"weft", "create", "identity", "--role-attr"}, "--role-attributes"},
	} {
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"-c", completeInBash, "bash"}, tt.words...)...)
		cmd.Env = append(os.Environ(), "PROGRAM="+program, "WEFT_CONFIG_DIR="+c.dir)
		out, err := cmd.CombinedOutput()
		found := false
		for line := range strings.Lines(string(out)) {
			word := strings.Fields(line)
			found = found || len(word) > 0 && word[0] == tt.want
		}
		if err != nil || !found {
			t.Errorf("%v: %v, no %q in\n%s", tt.words, err, tt.want, out)
		}
	}
}
