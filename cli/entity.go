package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// kind is one kind of entity; commands that it lacks are nil.
type kind interface {
	names() (one, many string)
	create(t *tool) *cobra.Command
	list(t *tool) *cobra.Command
	listOne(t *tool) *cobra.Command // what belongs to one entity, nil if nothing does
	listAt(t *tool, cmd *cobra.Command, of kind, path string, query func() url.Values)
	show(t *tool) *cobra.Command
	update(t *tool) *cobra.Command
	remove(t *tool) *cobra.Command
	find(c *call, ref string) (id string, err error)
}

// entity declares a kind: D is its detail, C the body of a create, U that of an
// update. The commands are made from the declaration; a nil function means that
// there is no such command.
type entity[D, C, U any] struct {
	one, many string
	aliases   []string // of the singular
	columns   []column[D]
	ref       func(*D) (id, name string) // name is empty for kinds without

	getMany func(*client.Management, context.Context, *client.ListParams) (*client.Page[D], error)
	getOne  func(*client.Management, context.Context, string) (*D, error)
	post    func(*client.Management, context.Context, *C) (*client.Created, error)
	patch   func(*client.Management, context.Context, string, *U) error
	drop    func(*client.Management, context.Context, string) error

	arguments   string // of create, after the kind; in brackets where optional
	example     string // of create
	createDoc   string // what its help says in addition
	updateDoc   doc
	removeDoc   doc
	createFlags func(*pflag.FlagSet, *C)
	updateFlags func(*pflag.FlagSet, *U)
	fillCreate  func(*call, *C, []string) error // arguments, defaults, names to ids
	fillUpdate  func(*call, *U) error           // names to ids
	afterUpdate func(*pflag.FlagSet) func(c *call, id string) error
	locate      func(*call, string) (string, error) // finds the entity of an update, instead of find
	empty       func(*call) string                  // why a list without a filter may have no entries
	jwt         func(*D) string                     // enrollment token that create can write to a file
}

// doc is what the help of a command says beside what all kinds have in common.
type doc struct{ long, example string }

func (d doc) apply(cmd *cobra.Command) {
	if d.long != "" {
		cmd.Long = cmd.Short + ".\n" + d.long
	}
	cmd.Example = d.example
}

// column is one column of the table of a list.
type column[D any] struct {
	header string
	cell   func(*D) string
}

func (e *entity[D, C, U]) names() (string, string) { return e.one, e.many }

// command makes the command of a verb; both spellings of the kind are accepted.
func (e *entity[D, C, U]) command(name, arguments, short string) *cobra.Command {
	use := name
	if arguments != "" {
		use += " " + arguments
	}
	aliases := append([]string{e.one, e.many}, e.aliases...)
	return &cobra.Command{Use: use, Short: short, Aliases: without(aliases, name)}
}

func without(list []string, drop string) []string {
	var out []string
	for _, s := range list {
		if s != drop {
			out = append(out, s)
		}
	}
	return out
}

// call is one command at work.
type call struct {
	context.Context
	tool *tool
	cmd  *cobra.Command
	m    *client.Management
}

// run makes the function of a command that needs a login. The format of the
// output is checked before anything is sent; what a dry run holds back, and the
// answer of the controller for -j, are printed at the end.
func (t *tool) run(f func(c *call, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		account, err := t.current()
		if err != nil {
			return err
		}
		api, err := account.client(t)
		if err != nil {
			return err
		}
		defer api.Close()
		c := &call{cmd.Context(), t, cmd, api.Management()}
		switch err := f(c, args); {
		case err != nil:
			return c.endedOr(err)
		case t.dryRun:
			return c.reportHeld(t.wire.held)
		case t.envelope:
			return printEnvelope(cmd.OutOrStdout(), t.wire.answer)
		}
		return nil
	}
}

// endedOr returns err, or where it refuses the caller because the session has
// ended, what to do about that.
func (c *call) endedOr(err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 401 || c.Err() != nil {
		return err
	}
	var gone *client.Error
	if _, ask := c.m.GetCurrentAPISession(c); !errors.As(ask, &gone) || gone.Status != 401 {
		return err // it lives, and the right is missing
	}
	all, failed := c.tool.loadContexts()
	if failed != nil {
		return err
	}
	name := c.tool.name(all)
	remedy := "weft login"
	if name != all.Current {
		remedy += " --context " + quoteArgument(name)
	}
	return &failure{code: "SESSION_ENDED", cause: fmt.Sprintf("the login of the context %q has ended", name), remedy: remedy, exit: ExitUnauthorized, err: err}
}

// printEnvelope writes an answer of the controller, indented where it is JSON.
func printEnvelope(w io.Writer, answer []byte) error {
	var b bytes.Buffer
	if json.Indent(&b, answer, "", "    ") != nil {
		b.Reset()
		b.Write(answer)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), "\n"))
	return err
}

func (t *tool) checkFormat() error { return t.style.check() }
