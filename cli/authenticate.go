package cli

import (
	"cmp"
	"errors"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// authenticate logs in and fills in what the session says.
func (t *tool) authenticate(cmd *cobra.Command, a *account, l *loginFlags) error {
	body := &client.Authenticate{
		EnvInfo: &client.EnvInfo{Arch: runtime.GOARCH, Os: runtime.GOOS},
		SdkInfo: &client.SdkInfo{Type: "weft-cli", Version: t.version},
	}
	method, err := l.credentials(cmd, a, body)
	if err != nil {
		return err
	}
	c, err := a.client(t)
	if err != nil {
		return err
	}
	defer c.Close()
	session, err := l.begin(cmd, c, method, body)
	if err != nil {
		return loginRefused(err)
	}
	if len(session.AuthQueries) > 0 {
		if session, err = l.secondFactor(cmd, c, session); err != nil {
			return err
		}
	}
	a.Token, a.Identity, a.IdentityID, a.ExpiresAt = session.Token, session.Identity.Name, session.IdentityID, session.ExpiresAt
	return nil
}

// credentials puts what there is to log in with into the body and returns the
// method; it is empty for a session that there is already.
func (l *loginFlags) credentials(cmd *cobra.Command, a *account, body *client.Authenticate) (method string, err error) {
	switch {
	case l.token != "":
		return "", nil
	case l.extJWT != "":
		l.token, err = readToken(cmd, l.extJWT)
		return "ext-jwt", err
	case a.IdentityFile != "" || a.Cert != "":
		return "cert", nil
	case a.Username == "":
		return "", usageError("give --username, --file, --cert and --key, --ext-jwt or --token", "nothing to log in with")
	}
	password := cmp.Or(l.password, os.Getenv("WEFT_PASSWORD"))
	if password == "" {
		if password, err = readSecret(cmd, "password: "); err != nil {
			return "", err
		}
	}
	body.Username, body.Password = &a.Username, &password
	return "password", nil
}

// begin makes the session.
func (l *loginFlags) begin(cmd *cobra.Command, c *client.Client, method string, body *client.Authenticate) (*client.CurrentAPISession, error) {
	if l.token != "" {
		c.SetToken(l.token)
	}
	if method != "" {
		return c.Management().Authenticate(cmd.Context(), &client.AuthenticateParams{Method: method}, body)
	}
	session, err := c.Management().GetCurrentAPISession(cmd.Context())
	if err == nil && session.Token == "" {
		session.Token = l.token
	}
	return session, err
}

// secondFactor finishes a session with a one-time code.
func (l *loginFlags) secondFactor(cmd *cobra.Command, c *client.Client, session *client.CurrentAPISession) (*client.CurrentAPISession, error) {
	for _, q := range session.AuthQueries {
		if q.TypeID != "" && q.TypeID != "MFA" && q.TypeID != "TOTP" {
			return nil, &failure{code: "SECOND_FACTOR_REQUIRED", cause: "this login needs a " + q.TypeID + ", which this command cannot give",
				remedy: "log in with an identity whose auth policy asks for none", exit: ExitUnauthorized}
		}
	}
	code, err := cmp.Or(l.code, os.Getenv("WEFT_CODE")), error(nil)
	if code == "" {
		if code, err = readSecret(cmd, "one-time code: "); err != nil {
			return nil, err
		}
	}
	c.SetToken(session.Token)
	m := c.Management()
	if _, err := m.Any().Send(cmd.Context(), "POST", managementBase+"/authenticate/mfa", nil, map[string]any{"code": code}); err != nil {
		return nil, err
	}
	finished, err := m.GetCurrentAPISession(cmd.Context())
	if err == nil && finished.Token == "" {
		finished.Token = session.Token
	}
	return finished, err
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
