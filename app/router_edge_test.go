package app

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
	wire "github.com/weftnet/weft/wire/edge"
)

// plainCertificate returns a certificate of the network that names nobody.
func (n *testNetwork) plainCertificate() tls.Certificate {
	return n.certificate(pki.Leaf{Subject: pkix.Name{CommonName: "plain"}})
}

// certificate returns a certificate of the network for a new key.
func (n *testNetwork) certificate(leaf pki.Leaf) tls.Certificate {
	n.t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		n.t.Fatal(err)
	}
	leaf.PublicKey = key.Public()
	chain, err := n.controller.signer.authority().Issue(leaf, time.Now())
	if err != nil {
		n.t.Fatal(err)
	}
	out := tls.Certificate{PrivateKey: key, Leaf: chain[0]}
	for _, c := range chain {
		out.Certificate = append(out.Certificate, c.Raw)
	}
	return out
}

// user makes an identity with a password and returns its id and the token of
// its session.
func (n *testNetwork) user(name string) (identityID, token string) {
	n.t.Helper()
	ctx := testContext(n.t)
	made, err := n.admin.Management().CreateIdentity(ctx, &client.IdentityInput{
		Name: &name, Type: client.Ptr("Default"), IsAdmin: client.Ptr(false)})
	if err != nil {
		n.t.Fatal(err)
	}
	hash, err := n.controller.auth.Passwords().Hash(ctx, "secret")
	if err != nil {
		n.t.Fatal(err)
	}
	n.authenticator(&model.Authenticator{Method: model.MethodUpdb, IdentityID: made.ID, Username: name, PasswordHash: hash})
	c, err := logIn(ctx, n.up, name, "secret")
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.Close)
	return made.ID, c.Token()
}

func (n *testNetwork) authenticator(a *model.Authenticator) {
	n.t.Helper()
	a.ID = id.New()
	b, err := state.NewCommand(time.Now(), state.Author{}, state.Source{}).AsSystem().Create(a).Encode()
	if err != nil {
		n.t.Fatal(err)
	}
	_, result, err := n.controller.store.Propose(testContext(n.t), b)
	if refusal, ok := result.(error); ok {
		err = refusal
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

func TestHelloWaitsForANewCertificate(t *testing.T) {
	t.Parallel() // it takes seconds of waiting
	n := newTestNetwork(t)
	identityID, token := n.user("newcomer")
	cert := n.plainCertificate()
	hello := func(ctx context.Context) error {
		ch, _, err := channel.Dial(ctx, channel.DialConfig{
			Address: strings.TrimPrefix(n.up.Router, "tls:"), ALPN: edgeALPN,
			TLS: &tls.Config{Certificates: []tls.Certificate{cert}, InsecureSkipVerify: true}, Hello: *(&wire.Hello{Token: token}).Encode(),
		})
		if err == nil {
			err = ch.Close()
			ch.Wait()
		}
		return err
	}
	done := make(chan error, 1)
	go func() { done <- hello(testContext(t)) }()
	select {
	case err := <-done:
		t.Fatal("the hello did not wait:", err)
	case <-time.After(300 * time.Millisecond):
	}
	n.authenticator(&model.Authenticator{Method: model.MethodCert, IdentityID: identityID,
		Fingerprint: pki.Fingerprint(cert.Leaf), CertPem: pki.EncodeCertificates(cert.Leaf)})
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the hello has no answer")
	}
	cert = n.plainCertificate()
	begin := time.Now()
	err := hello(testContext(t))
	var rejected *channel.RejectedError
	if took := time.Since(begin); !errors.As(err, &rejected) || took < 2*time.Second {
		t.Errorf("a certificate that stays unbound: %v after %v", err, took)
	}
}
