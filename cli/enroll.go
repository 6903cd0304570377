package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/sdk"
)

func (t *tool) enroll() *cobra.Command {
	out, jwt, password, overwrite := "", "", "", false
	cmd := &cobra.Command{
		Use:   "enroll JWT-FILE",
		Short: "Turn an enrollment token into an identity file",
		Long: `Turn an enrollment token into an identity file and print its path. The token
is a file with a JWT, - for standard input. By the method updb the password of
the user is set, and asked for if it is not given.`,
		Example: "  weft enroll alice.jwt --out alice.json",
		Args:    cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "identity file to write (default the token's name with .json)")
	f.StringVarP(&jwt, "jwt", "j", "", "token file, instead of the argument")
	f.StringVarP(&password, "password", "p", "", "password to set, for the method updb")
	f.BoolVar(&overwrite, "overwrite", false, "replace an identity file that is there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			jwt = args[0]
		}
		token, err := readToken(cmd, jwt)
		if err != nil {
			return err
		}
		if out == "" {
			if jwt == "-" {
				return usageError("name the identity file with --out", "no file to write to")
			}
			out = strings.TrimSuffix(jwt, ".jwt") + ".json"
		}
		if _, err := os.Stat(out); !overwrite && !errors.Is(err, fs.ErrNotExist) {
			return usageError("choose another with --out, or give --overwrite", "%s is there already", out)
		}
		return enrollTo(cmd, token, password, out)
	}
	return cmd
}

func enrollTo(cmd *cobra.Command, token, password, out string) error {
	e, err := sdk.ParseEnrollment(token)
	if err != nil {
		return err
	}
	if e.Method == "updb" && password == "" {
		if password, err = readSecret(cmd, "new password: "); err != nil {
			return err
		}
	}
	id, err := sdk.Enroll(cmd.Context(), token, sdk.EnrollOptions{Password: password})
	if err != nil {
		return err
	}
	if err := id.Save(out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
	return err
}

func readToken(cmd *cobra.Command, path string) (string, error) {
	switch path {
	case "":
		return "", usageError("weft enroll FILE", "no token was given")
	case "-":
		return readLine(cmd)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", usageError("check the path", "%s", err)
	}
	return strings.TrimSpace(string(b)), nil
}
