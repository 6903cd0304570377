package cli

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// trust makes sure that the account's controller can be verified. Where
// neither the system nor the account knows its CAs, it fetches them, checks
// that the controller's certificate comes from them, shows their fingerprints
// and asks, unless yes is set. given says that the CAs were named for this
// login, so that no others will do.
func (t *tool) trust(cmd *cobra.Command, a *account, given, yes bool) error {
	ctx := cmd.Context()
	err := t.probe(ctx, a)
	var unknown x509.UnknownAuthorityError
	if err == nil || !errors.As(err, &unknown) || given {
		return err
	}
	what := "is certified by CAs that are not known here"
	if a.CA != "" {
		what = "is certified by other CAs THAN AT THE LAST LOGIN"
	}
	anchors, err := t.fetchAnchors(ctx, a.Address)
	if err != nil {
		return err
	}
	a.CA = encodePEM(anchors)
	if err := t.probe(ctx, a); err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "%s %s:\n", a.Address, what)
	for _, c := range topmost(anchors) {
		sum := sha256.Sum256(c.Raw)
		fmt.Fprintf(w, "  %s\n    SHA-256 %s\n", printable(c.Subject.String()), hex.EncodeToString(sum[:]))
	}
	if yes || confirm(cmd, "Trust them? [y/N] ") {
		return nil
	}
	return &failure{code: "UNTRUSTED_CONTROLLER", cause: "the controller's CAs were not accepted",
		remedy: "compare the fingerprints with those on the controller, then repeat with --yes, or give the CAs with --ca FILE", exit: ExitUnavailable}
}

// topmost leaves out the CAs that another one of the list, certified by itself,
// has certified: who trusts that one trusts them.
func topmost(anchors []*x509.Certificate) []*x509.Certificate {
	roots, others := x509.NewCertPool(), x509.NewCertPool()
	for _, c := range anchors {
		if c.CheckSignatureFrom(c) == nil {
			roots.AddCert(c)
		} else {
			others.AddCert(c)
		}
	}
	o := x509.VerifyOptions{Roots: roots, Intermediates: others, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	var out []*x509.Certificate
	for _, c := range anchors {
		if _, err := c.Verify(o); err != nil || c.CheckSignatureFrom(c) == nil {
			out = append(out, c)
		}
	}
	return out
}

// probe asks for the version document, which needs no login.
func (t *tool) probe(ctx context.Context, a *account) error {
	c, err := (&account{Address: a.Address, CA: a.CA}).client(t)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Management().ListVersion(ctx)
	return err
}

// fetchAnchors gets the CAs over a connection that is not verified; what comes
// is checked and confirmed before it is used.
func (t *tool) fetchAnchors(ctx context.Context, address string) ([]*x509.Certificate, error) {
	c, err := client.New(address, client.Options{
		TLS:       &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true},
		UserAgent: t.agent(),
	})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.TrustAnchors(ctx)
}

func encodePEM(certs []*x509.Certificate) string {
	var b strings.Builder
	for _, c := range certs {
		b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return b.String()
}
