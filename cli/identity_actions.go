package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// identityActions are the commands for one identity beside the verbs.
func (t *tool) identityActions() []*cobra.Command {
	return []*cobra.Command{
		parent("disable", "Disable an identity", t.disableIdentity()),
		parent("enable", "Enable an identity again", t.action(action{use: "identity NAME|ID", short: "Enable an identity again", args: cobra.ExactArgs(1), changes: true,
			complete: []string{"identities"},
			run: func(c *call, args []string) error {
				id, err := c.id("identities", args[0])
				if err != nil {
					return err
				}
				if err := c.m.EnableIdentity(c, id); err != nil {
					return err
				}
				c.did("enabled", "identity", args[0])
				return nil
			}})),
		parent("trace", "Write what an identity does into the log of the controller", t.traceIdentity()),
	}
}

func (t *tool) disableIdentity() *cobra.Command {
	var life time.Duration
	return t.action(action{use: "identity NAME|ID", short: "Disable an identity and end its sessions", args: cobra.ExactArgs(1), changes: true,
		example: "  weft disable identity alice\n  weft disable identity alice --duration 8h", complete: []string{"identities"},
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&life, "duration", 0, "enable it again after so long (default never)")
		},
		run: func(c *call, args []string) error {
			if life < 0 || life > 0 && life < time.Minute {
				return usageError("give at least 1m", "a duration of %s", life)
			}
			id, err := c.id("identities", args[0])
			if err != nil {
				return err
			}
			if err := c.m.DisableIdentity(c, id, &client.DisableParams{DurationMinutes: client.Ptr(int64(life / time.Minute))}); err != nil {
				return err
			}
			c.did("disabled", "identity", args[0])
			return nil
		}})
}

func (t *tool) traceIdentity() *cobra.Command {
	var off, disable bool
	var life time.Duration
	var traceID string
	var channels []string
	return t.action(action{use: "identity NAME|ID [DURATION]", short: "Trace an identity: its requests, circuits and refusals, in the log of the controller", args: cobra.RangeArgs(1, 2), changes: true,
		example: "  weft trace identity alice --duration 10m\n  weft trace identity alice --off", complete: []string{"identities"},
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&off, "off", false, "end the trace")
			f.BoolVar(&disable, "disable", false, "the same as --off")
			_ = f.MarkHidden("disable") // there is such a flag
			f.DurationVar(&life, "duration", 10*time.Minute, "how long to trace")
			f.StringVar(&traceID, "trace-id", "", "id that the records carry (default chosen by the controller)")
			f.StringSliceVar(&channels, "channels", nil, "accepted for old scripts; everything is traced")
		},
		run: func(c *call, args []string) error {
			if len(args) == 2 {
				var err error
				if life, err = time.ParseDuration(args[1]); err != nil {
					return usageError("write a duration such as 10m", "%s", err)
				}
			}
			id, err := c.id("identities", args[0])
			if err != nil {
				return err
			}
			body := map[string]any{"enabled": !off && !disable, "duration": life.String()}
			if traceID != "" {
				body["traceId"] = traceID
			}
			if len(channels) > 0 {
				body["channels"] = channels
			}
			answer, err := decodeInto[object](c.send("PUT", "/identities/"+client.Segment(id)+"/trace", body))
			if err != nil || c.dry() {
				return err
			}
			return c.printObject(*answer, answer.text("traceId"))
		}})
}

// identityConfigs sets which config of a type an identity gets for a service.
func (t *tool) identityConfigs() *cobra.Command {
	remove := false
	return t.action(action{use: "identity-configs IDENTITY SERVICE CONFIG", short: "Give an identity a config of its own for a service, instead of the service's", changes: true,
		example: "  weft update identity-configs alice web web.intercept.alice\n  weft update identity-configs alice web web.intercept.alice --remove",
		args:    cobra.ExactArgs(3), complete: []string{"identities", "services", "configs"},
		flags: func(f *pflag.FlagSet) { f.BoolVarP(&remove, "remove", "r", false, "take it away again") },
		run: func(c *call, args []string) error {
			var ids [3]string
			for i, many := range []string{"identities", "services", "configs"} {
				var err error
				if ids[i], err = c.id(many, args[i]); err != nil {
					return err
				}
			}
			pair := []client.ServiceConfigAssign{{ServiceID: &ids[1], ConfigID: &ids[2]}}
			change := c.m.AssociateIdentitysServiceConfigs
			if remove {
				change = c.m.DisassociateIdentitysServiceConfigs
			}
			if err := change(c, ids[0], pair); err != nil {
				return err
			}
			c.did("updated", "configs of identity", args[0])
			return nil
		}})
}

// refreshEnrollment gives an enrollment a new token.
func (t *tool) refreshEnrollment() *cobra.Command {
	var life time.Duration
	return t.action(action{use: "enrollment ID", short: "Give an enrollment a new token and a new end", args: cobra.ExactArgs(1), changes: true,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&life, "duration", 24*time.Hour, "how long the token is good for")
		},
		run: func(c *call, args []string) error {
			if err := c.m.RefreshEnrollment(c, args[0], &client.EnrollmentRefresh{ExpiresAt: client.Ptr(time.Now().Add(life).UTC())}); err != nil || c.dry() {
				return err
			}
			d, err := c.m.DetailEnrollment(c, args[0])
			if err != nil {
				return err
			}
			return c.printText(d.JWT)
		}})
}

// reEnrollAuthenticator replaces an authenticator by an enrollment.
func (t *tool) reEnrollAuthenticator() *cobra.Command {
	var life time.Duration
	return t.action(action{use: "authenticator ID", short: "Replace an authenticator by an enrollment of the same method, and print the token", args: cobra.ExactArgs(1), changes: true,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&life, "duration", 24*time.Hour, "how long the token is good for")
		},
		run: func(c *call, args []string) error {
			created, err := c.m.ReEnrollAuthenticator(c, args[0], &client.ReEnroll{ExpiresAt: client.Ptr(time.Now().Add(life).UTC())})
			if err != nil || c.dry() {
				return err
			}
			d, err := c.m.DetailEnrollment(c, created.ID)
			if err != nil {
				return fmt.Errorf("the enrollment %s was made, but not read: %w", created.ID, err)
			}
			return c.printText(d.JWT)
		}})
}

// extendAuthenticator asks the client of a certificate to renew it.
func (t *tool) extendAuthenticator() *cobra.Command {
	roll := false
	return t.action(action{use: "authenticator ID", short: "Ask the client of a certificate to renew it at its next login", args: cobra.ExactArgs(1), changes: true,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&roll, "roll-keys", false, "with a new key") },
		run: func(c *call, args []string) error {
			_, err := c.send("POST", "/authenticators/"+client.Segment(args[0])+"/request-extend", map[string]any{"rollKeys": roll})
			if err != nil {
				return err
			}
			c.did("asked to extend", "authenticator", args[0])
			return nil
		}})
}
