package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
)

// loginFlags are what a login is told.
type loginFlags struct {
	username, password string
	ca, cert, key      string
	identity           string
	extJWT, token      string
	code               string
	yes, readOnly      bool
}

func (t *tool) login() *cobra.Command {
	var l loginFlags
	cmd := &cobra.Command{
		Use:   "login [ADDRESS]",
		Short: "Log in to a controller and remember the session",
		Long: `Log in to a controller by user name and password, by certificate, or by a token
of an external signer, and remember the session as a context. The password is
taken from --password, from the variable WEFT_PASSWORD, or asked for, as is the
one-time code of an identity with a second factor. Without an address the
controller of the context or of the identity file is used.`,
		Example: "  weft login https://localhost:1280 --username admin\n  weft login --file alice.json\n  weft login https://other:1280 -u admin --context other --read-only",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.checkFormat(); err != nil {
				return err
			}
			return t.runLogin(cmd, l, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&l.username, "username", "u", "", "user name")
	f.StringVarP(&l.password, "password", "p", "", "password")
	f.StringVarP(&l.identity, "file", "f", "", "identity file to log in with")
	f.StringVarP(&l.cert, "cert", "c", "", "PEM file of a client certificate to log in with")
	f.StringVarP(&l.key, "key", "k", "", "PEM file of its key")
	f.StringVar(&l.ca, "ca", "", "PEM file of the CAs that certify the controller")
	f.StringVar(&l.cert, "client-cert", "", "the same as --cert")
	f.StringVar(&l.key, "client-key", "", "the same as --key")
	_, _ = f.MarkHidden("client-cert"), f.MarkHidden("client-key") // there are such flags
	f.StringVarP(&l.extJWT, "ext-jwt", "e", "", "file with a token of an external signer to log in with, - for standard input")
	f.StringVarP(&l.token, "token", "t", "", "use a session that there is already, by its token")
	f.StringVar(&l.code, "code", "", "one-time or recovery code, where a second factor is needed (default $WEFT_CODE, or asked for)")
	f.BoolVar(&l.readOnly, "read-only", false, "commands of this context change nothing")
	f.BoolVarP(&l.yes, "yes", "y", false, "trust the controller's CAs without asking")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	cmd.MarkFlagsMutuallyExclusive("file", "cert", "username", "ext-jwt", "token")
	t.flags(cmd)
	return cmd
}

func (t *tool) runLogin(cmd *cobra.Command, l loginFlags, args []string) error {
	all, err := t.loadContexts()
	if err != nil {
		return err
	}
	name := t.name(all)
	a, err := l.account(all.Contexts[name], args)
	if err != nil {
		return err
	}
	if a.CA == "" {
		a.CA = all.anchors(a.Address)
	}
	if err := t.trust(cmd, a, l.ca != "" || l.identity != "", l.yes); err != nil {
		return err
	}
	if err := t.authenticate(cmd, a, &l); err != nil {
		return err
	}
	all.Current, all.Contexts[name] = name, a
	if err := t.save(all); err != nil {
		return err
	}
	return t.printContext(cmd, name, a)
}

// account puts together where to log in and with what. old is the context that
// the login replaces and may be nil.
func (l loginFlags) account(old *account, args []string) (*account, error) {
	if old == nil {
		old = &account{}
	}
	a := &account{Address: old.Address, Username: l.username, ReadOnly: l.readOnly}
	if l.username == "" && l.identity == "" && l.cert == "" && l.extJWT == "" && l.token == "" {
		a.Username, a.IdentityFile, a.Cert, a.Key = old.Username, old.IdentityFile, old.Cert, old.Key
	}
	var err error
	if a.IdentityFile, err = absolute(l.identity, a.IdentityFile); err != nil {
		return nil, err
	}
	if l.cert != "" {
		if a.Cert, err = absolute(l.cert); err != nil {
			return nil, err
		}
		if a.Key, err = absolute(l.key); err != nil {
			return nil, err
		}
	}
	if a.IdentityFile != "" {
		id, err := sdk.LoadIdentity(a.IdentityFile)
		if err != nil {
			return nil, usageError("give an identity file", "%s", err)
		}
		a.Address = id.ControllerURL
		if a.CA, err = optionalPEM(id.Credentials.CA); err != nil {
			return nil, err
		}
	}
	if len(args) == 1 {
		a.Address = args[0]
	}
	if a.Address == "" {
		return nil, usageError("weft login https://HOST:PORT --username NAME", "no controller was named")
	}
	c, err := client.New(a.Address, client.Options{})
	if err != nil {
		return nil, usageError("write the address as https://HOST:PORT", "%s", err)
	}
	a.Address = c.Address()
	if a.CA == "" && a.Address == old.Address {
		a.CA = old.CA
	}
	if l.ca != "" {
		a.CA, err = optionalPEM(l.ca)
	}
	return a, err
}

// absolute returns the first path that is given, made absolute.
func absolute(paths ...string) (string, error) {
	for _, p := range paths {
		if p != "" {
			return filepath.Abs(p)
		}
	}
	return "", nil
}

func optionalPEM(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	return pemValue(value)
}

func (t *tool) printContext(cmd *cobra.Command, name string, a *account) error {
	rows := [][]string{{"context", name}, {"controller", a.Address}, {"identity", a.Identity}, {"valid until", when(a.ExpiresAt) + " unless used"}}
	if a.ReadOnly {
		rows = append(rows, []string{"read only", "yes"})
	}
	value := map[string]any{"context": name, "address": a.Address, "identity": a.Identity, "identityId": a.IdentityID, "expiresAt": a.ExpiresAt}
	return t.style.print(cmd.OutOrStdout(), printout{value: value, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{name},
		text: func(w io.Writer) error { return printTable(w, nil, rows) }})
}

func (t *tool) logout() *cobra.Command {
	cmd := &cobra.Command{Use: "logout", Short: "End the session of the context", Args: cobra.NoArgs,
		Long:    "End the session of the context, at the controller too. The context stays, so that weft login without an address logs in again.",
		Example: "  weft logout\n  weft logout --context other"}
	cmd.Flags().BoolVar(&t.dryRun, "dry-run", false, "say what would be done, and do nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := t.loadContexts()
		if err != nil {
			return err
		}
		a := all.Contexts[t.name(all)]
		if a == nil || a.Token == "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "there is no login in the context %s\n", printable(t.name(all)))
			return nil
		}
		if t.dryRun {
			return t.wouldDo(cmd, "log out of", []string{t.name(all)})
		}
		ended := a.end(cmd.Context(), t)
		a.Token = ""
		return errors.Join(t.save(all), ended)
	}
	t.flags(cmd)
	return cmd
}

// end ends the session at the controller; one that is gone is as good.
func (a *account) end(ctx context.Context, t *tool) error {
	c, err := a.client(t)
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Management().DeleteCurrentAPISession(ctx)
	var e *client.Error
	if errors.As(err, &e) && (e.Status == 401 || e.Status == 404) {
		return nil
	}
	return err
}
