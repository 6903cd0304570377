package cli

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// verifyCA proves that one has the key of a CA.
func (t *tool) verifyCA() *cobra.Command {
	var cert, caCert, caKey string
	return t.action(action{use: "ca NAME|ID", short: "Prove that one has the key of a certificate authority", args: cobra.ExactArgs(1), changes: true,
		long: "The proof is a certificate of that authority whose common name is the verification\n" +
			"token of weft show ca. --cert names its file; --cacert and --cakey make one here, and\nthe key does not leave this machine.",
		example:  "  weft verify ca partners --cacert partners.pem --cakey partners.key\n  weft verify ca partners --cert proof.pem",
		complete: []string{"cas"},
		flags: func(f *pflag.FlagSet) {
			f.StringVarP(&cert, "cert", "c", "", "PEM file of the proof")
			f.StringVarP(&caCert, "cacert", "a", "", "PEM file of the authority's certificate, to make the proof with")
			f.StringVarP(&caKey, "cakey", "k", "", "PEM file of the authority's key, to make the proof with")
		},
		run: func(c *call, args []string) error {
			if (cert == "") == (caCert == "" || caKey == "") {
				return usageError("give --cert, or --cacert and --cakey", "no proof, or two ways to it")
			}
			id, err := c.id("cas", args[0])
			if err != nil {
				return err
			}
			proof, err := c.caProof(id, cert, caCert, caKey)
			if err != nil {
				return err
			}
			if _, err := c.send("POST", "/cas/"+client.Segment(id)+"/verify", client.Text(proof)); err != nil {
				return err
			}
			c.did("verified", "ca", args[0])
			return nil
		}})
}

func (c *call) caProof(id, cert, caCert, caKey string) (string, error) {
	if cert != "" {
		b, err := os.ReadFile(cert)
		if err != nil {
			return "", usageError("check the path", "%s", err)
		}
		return string(b), nil
	}
	ca, err := fetch[object](c, c.m, managementBase+"/cas/"+client.Segment(id))
	if err != nil {
		return "", err
	}
	pair, err := tls.LoadX509KeyPair(caCert, caKey)
	if err != nil {
		return "", usageError("give the certificate and the key of the authority, both PEM", "%s", err)
	}
	proof, err := signProof(pair, ca.text("verificationToken"))
	if err != nil {
		return "", fmt.Errorf("the proof was not made: %w", err)
	}
	return proof, nil
}

// signProof makes a certificate for an hour with a key that is forgotten.
func signProof(ca tls.Certificate, name string) (string, error) {
	parent, err := x509.ParseCertificate(ca.Certificate[0])
	if err != nil {
		return "", err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return "", err
	}
	signer, ok := ca.PrivateKey.(crypto.Signer)
	if !ok {
		return "", fmt.Errorf("a key of the type %T cannot sign", ca.PrivateKey)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-5 * time.Minute), NotAfter: now.Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}

// showCAJWT prints the token by which certificates of a CA enroll.
func (t *tool) showCAJWT() *cobra.Command {
	file := ""
	return t.action(action{use: "ca-jwt NAME|ID", short: "Show the token by which certificates of an authority enroll identities", args: cobra.ExactArgs(1),
		complete: []string{"cas"},
		flags:    func(f *pflag.FlagSet) { f.StringVar(&file, "jwt", "", "write the token to this file") },
		run: func(c *call, args []string) error {
			id, err := c.id("cas", args[0])
			if err != nil {
				return err
			}
			token, err := c.send("GET", "/cas/"+client.Segment(id)+"/jwt", nil)
			if err != nil {
				return err
			}
			if file == "" {
				return c.printText(string(token))
			}
			if err := os.WriteFile(file, token, 0o600); err != nil {
				return err
			}
			return c.printText(file)
		}})
}
