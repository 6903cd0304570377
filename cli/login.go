package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
)

// loginFlags are what a login is told.
type loginFlags struct {
	username, password string
	ca, cert, key      string
	identity           string
	yes                bool
}

func (t *tool) login() *cobra.Command {
	var l loginFlags
	cmd := &cobra.Command{
		Use:   "login [ADDRESS]",
		Short: "Log in to a controller and remember the session",
		Long: `Log in to a controller by user name and password, or by certificate, and
remember the session as a context. The password is taken from --password, from
the variable WEFT_PASSWORD, or asked for. Without an address the controller of
the context or of the identity file is used.`,
		Example: "  weft login https://localhost:1280 --username admin\n  weft login --file alice.json",
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
	f.BoolVarP(&l.yes, "yes", "y", false, "trust the controller's CAs without asking")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	cmd.MarkFlagsMutuallyExclusive("file", "cert")
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
	if err := t.trust(cmd, a, l.ca != "" || l.identity != "", l.yes); err != nil {
		return err
	}
	if err := t.authenticate(cmd, a, l.password); err != nil {
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
	a := &account{Address: old.Address, Username: l.username}
	if l.username == "" && l.identity == "" && l.cert == "" {
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

// authenticate logs in and fills in what the session says.
func (t *tool) authenticate(cmd *cobra.Command, a *account, password string) error {
	body := &client.Authenticate{
		EnvInfo: &client.EnvInfo{Arch: runtime.GOARCH, Os: runtime.GOOS},
		SdkInfo: &client.SdkInfo{Type: "weft-cli", Version: t.version},
	}
	method := "cert"
	if a.IdentityFile == "" && a.Cert == "" {
		if a.Username == "" {
			return usageError("give --username, --file or --cert and --key", "nothing to log in with")
		}
		method = "password"
		if password == "" {
			password = os.Getenv("WEFT_PASSWORD")
		}
		if password == "" {
			var err error
			if password, err = readSecret(cmd, "password: "); err != nil {
				return err
			}
		}
		body.Username, body.Password = &a.Username, &password
	}
	c, err := a.client(t)
	if err != nil {
		return err
	}
	defer c.Close()
	session, err := c.Management().Authenticate(cmd.Context(), &client.AuthenticateParams{Method: method}, body)
	if err != nil {
		return loginRefused(err)
	}
	if len(session.AuthQueries) > 0 {
		return &failure{code: "SECOND_FACTOR_REQUIRED", cause: "this login needs a second factor, which this command cannot give", remedy: "log in with an identity whose auth policy asks for none", exit: ExitUnauthorized}
	}
	a.Token, a.Identity, a.IdentityID, a.ExpiresAt = session.Token, session.Identity.Name, session.IdentityID, session.ExpiresAt
	return nil
}

// loginRefused gives a remedy that fits a login.
func loginRefused(err error) error {
	var e *client.Error
	if !errors.As(err, &e) || e.Status != 401 {
		return err
	}
	f := explainAPI(e)
	if e.Remedy == "" {
		f.remedy = "check the user name and password, or the certificate"
	}
	return f
}

func (t *tool) printContext(cmd *cobra.Command, name string, a *account) error {
	out := cmd.OutOrStdout()
	switch t.output {
	case formatName:
		_, err := fmt.Fprintln(out, name)
		return err
	case formatJSON:
		return printJSON(out, map[string]any{"context": name, "address": a.Address, "identity": a.Identity, "identityId": a.IdentityID, "expiresAt": a.ExpiresAt})
	}
	return printTable(out, nil, [][]string{
		{"context", name}, {"controller", a.Address}, {"identity", a.Identity}, {"valid until", when(a.ExpiresAt) + " unless used"},
	})
}

func (t *tool) logout() *cobra.Command {
	cmd := &cobra.Command{Use: "logout", Short: "End the session of the context", Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := t.loadContexts()
		if err != nil {
			return err
		}
		a := all.Contexts[t.name(all)]
		if a == nil || a.Token == "" {
			return nil
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
