package cli

import (
	"cmp"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// whoami says as whom the commands are made.
func (t *tool) whoami() *cobra.Command {
	return t.action(action{use: "whoami", short: "Show as whom and where the commands are made", aliases: []string{"current-identity"},
		run: func(c *call, _ []string) error {
			d, err := c.m.GetCurrentIdentity(c)
			if err != nil {
				return err
			}
			a, err := t.current()
			if err != nil {
				return err
			}
			rows := [][]string{{"identity", d.Name}, {"id", d.ID}, {"admin", yesNo(d.IsAdmin)}, {"permissions", words(d.Permissions)}, {"attributes", words(d.RoleAttributes)},
				{"auth policy", cmp.Or(d.AuthPolicy.Name, d.AuthPolicyID)}, {"second factor", yesNo(d.IsMfaEnabled)}, {"controller", a.Address}}
			return c.print(printout{value: d, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{d.Name},
				text: func(w io.Writer) error { return printTable(w, nil, rows) }})
		}})
}

// password changes one's own password.
func (t *tool) password() *cobra.Command {
	return t.action(action{use: "password", short: "Change one's own password", changes: true,
		long: "Both passwords are asked for, or read from standard input, one per line, or taken\nfrom the variables WEFT_PASSWORD and WEFT_NEW_PASSWORD.",
		run:  func(c *call, _ []string) error { return c.changeOwnPassword("", "") }})
}

// changeOwnPassword asks for what is not given.
func (c *call) changeOwnPassword(current, fresh string) error {
	page, err := c.m.ListCurrentIdentityAuthenticators(c, &client.ListParams{Filter: `method="updb"`})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 {
		return &failure{code: "NO_PASSWORD", cause: "this identity does not log in by password", remedy: "weft whoami shows who it is", exit: ExitRefused}
	}
	read := newSecretReader(c.cmd)
	if current, err = read.secret(cmp.Or(current, os.Getenv("WEFT_PASSWORD")), "current password: "); err != nil {
		return err
	}
	if fresh, err = read.twice(cmp.Or(fresh, os.Getenv("WEFT_NEW_PASSWORD")), "new password: "); err != nil {
		return err
	}
	in := client.OwnAuthenticatorInput{AuthenticatorInput: client.AuthenticatorInput{Password: &fresh}, CurrentPassword: &current}
	if err := c.m.PatchCurrentIdentityAuthenticator(c, page.Items[0].ID, &in); err != nil {
		return err
	}
	c.did("changed", "the password of", page.Items[0].Username)
	return nil
}

// mfa is the group of commands for one's own second factor.
func (t *tool) mfa() *cobra.Command {
	return parent("mfa", "One's own second factor: one-time codes and recovery codes",
		t.mfaShow(), t.mfaEnroll(), t.mfaVerify(), t.mfaRemove(), t.mfaCodes(), t.mfaReset())
}

const mfaPath = "/current-identity/mfa"

func (t *tool) mfaShow() *cobra.Command {
	return t.action(action{use: "show", short: "Show whether there is a second factor",
		run: func(c *call, _ []string) error {
			d, err := decodeInto[object](c.send("GET", mfaPath, nil))
			if err != nil {
				return err
			}
			return c.printObject(map[string]any{"id": (*d)["id"], "isVerified": (*d)["isVerified"]}, d.text("id"))
		}})
}

func (t *tool) mfaEnroll() *cobra.Command {
	qr, code := "", ""
	return t.action(action{use: "enroll", short: "Begin to use a second factor", changes: true,
		long: "Shows the URL for an authenticator app and the recovery codes, which are shown this\nonce, then asks for a code to finish. Without a terminal finish with weft mfa verify.",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&qr, "qr", "", "write the QR code of the URL to this PNG file")
		},
		run: func(c *call, _ []string) error {
			if _, err := c.send("POST", mfaPath, nil); err != nil || c.dry() {
				return err
			}
			d, err := decodeInto[object](c.send("GET", mfaPath, nil))
			if err != nil {
				return err
			}
			if qr != "" {
				png, err := c.send("GET", mfaPath+"/qr-code", nil)
				if err != nil {
					return err
				}
				if err := os.WriteFile(qr, png, 0o600); err != nil {
					return err
				}
			}
			if err := c.printObject(map[string]any{"isVerified": (*d)["isVerified"], "provisioningUrl": (*d)["provisioningUrl"], "recoveryCodes": (*d)["recoveryCodes"]}, d.text("id")); err != nil {
				return err
			}
			if !isTerminal(c.cmd.InOrStdin()) {
				c.say("to finish: weft mfa verify CODE")
				return nil
			}
			if code, err = readSecret(c.cmd, "code: "); err != nil {
				return err
			}
			return c.mfaCode("POST", mfaPath+"/verify", code, "verified")
		}})
}

// mfaCode sends a code.
func (c *call) mfaCode(method, path, code, done string) error {
	if _, err := c.send(method, path, map[string]any{"code": code}); err != nil {
		return err
	}
	c.did(done, "the second", "factor")
	return nil
}

// codeOf takes the code from the argument, or asks for it.
func (c *call) codeOf(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	return readSecret(c.cmd, "code: ")
}

func (t *tool) mfaVerify() *cobra.Command {
	return t.action(action{use: "verify [CODE]", short: "Finish an enrollment with a code of the app", args: cobra.MaximumNArgs(1), changes: true,
		run: func(c *call, args []string) error {
			code, err := c.codeOf(args)
			if err != nil {
				return err
			}
			return c.mfaCode("POST", mfaPath+"/verify", code, "verified")
		}})
}

func (t *tool) mfaRemove() *cobra.Command {
	return t.action(action{use: "remove [CODE]", short: "Use no second factor any more", args: cobra.MaximumNArgs(1), changes: true, aliases: []string{"delete"},
		run: func(c *call, args []string) error {
			code, err := c.codeOf(args)
			if err != nil {
				return err
			}
			if _, err := c.m.Any().With("mfa-validation-code", code).Send(c, "DELETE", managementBase+mfaPath, nil, nil); err != nil {
				return err
			}
			c.did("removed", "the second", "factor")
			return nil
		}})
}

func (t *tool) mfaCodes() *cobra.Command {
	renew := false
	return t.action(action{use: "recovery-codes [CODE]", short: "Show the recovery codes that are left, or make new ones", args: cobra.MaximumNArgs(1), changes: true,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&renew, "new", false, "make new codes; the old ones are void")
		},
		run: func(c *call, args []string) error {
			code, err := c.codeOf(args)
			if err != nil {
				return err
			}
			if renew {
				if _, err := c.send("POST", mfaPath+"/recovery-codes", map[string]any{"code": code}); err != nil || c.dry() {
					return err
				}
			}
			d, err := decodeInto[struct{ RecoveryCodes []string }](c.m.Any().With("mfa-validation-code", code).Send(c, "GET", managementBase+mfaPath+"/recovery-codes", nil, nil))
			if err != nil {
				return err
			}
			p := printout{value: d.RecoveryCodes, headers: []string{"CODE"}}
			for _, s := range d.RecoveryCodes {
				p.rows = append(p.rows, []string{s})
			}
			return c.print(p)
		}})
}

func (t *tool) mfaReset() *cobra.Command {
	return t.action(action{use: "reset IDENTITY", short: "Take the second factor of an identity away, for administrators", args: cobra.ExactArgs(1), changes: true,
		complete: []string{"identities"},
		run: func(c *call, args []string) error {
			id, err := c.id("identities", args[0])
			if err != nil {
				return err
			}
			if err := c.m.RemoveIdentityMfa(c, id); err != nil {
				return err
			}
			c.did("removed", "the second factor of", args[0])
			return nil
		}})
}

// secretReader reads secrets, one per line where there is no terminal.
type secretReader struct {
	cmd   *cobra.Command
	lines *lineReader
}

func newSecretReader(cmd *cobra.Command) *secretReader {
	return &secretReader{cmd: cmd, lines: newLineReader(cmd.InOrStdin())}
}

// secret returns what is given, or reads it.
func (r *secretReader) secret(given, prompt string) (string, error) {
	if given != "" {
		return given, nil
	}
	if isTerminal(r.cmd.InOrStdin()) {
		return readSecret(r.cmd, prompt)
	}
	text, err := r.lines.next()
	if err == nil && text == "" {
		err = usageError("give it on standard input", "no %s", prompt[:len(prompt)-2])
	}
	return text, err
}

// twice reads a new secret; on a terminal it is typed twice.
func (r *secretReader) twice(given, prompt string) (string, error) {
	first, err := r.secret(given, prompt)
	if err != nil || given != "" || !isTerminal(r.cmd.InOrStdin()) {
		return first, err
	}
	second, err := readSecret(r.cmd, "once more: ")
	if err == nil && first != second {
		err = usageError("type the same twice", "the two are not the same")
	}
	return first, err
}
