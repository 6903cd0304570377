package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// extension is the answer of extend.
type extension struct {
	Fingerprint string    `json:"fingerprint"`
	Until       time.Time `json:"until"`
	Renewal     time.Time `json:"renewal"`
}

// extend renews the certificates of a router.
func (a *agentTool) extend() *cobra.Command {
	c := &cobra.Command{Use: "extend", Short: "Let a router renew its certificates now", Args: cobra.NoArgs, Example: "  weft agent extend --app router"}
	a.changing(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return show(a, cmd, "extend", nil, func(w io.Writer, e extension) error {
			_, err := fmt.Fprintf(w, "Certificates renewed: %s is valid until %s and will be renewed about %s.\n",
				e.Fingerprint, e.Until.Format(time.DateTime), e.Renewal.Format(time.DateTime))
			return err
		})
	}
	return c
}
