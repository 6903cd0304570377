package sdk

import (
	"crypto/tls"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
)

// TestARouterIsNoController puts a router in the place of the controller, with
// a certificate for the controller's name, as routers may ask for.
func TestARouterIsNoController(t *testing.T) {
	n := newFakeNet(t)
	identity := n.enroll()
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dns, ips := pki.SplitNames([]string{"127.0.0.1", "localhost"})
	chain, err := n.pki.Edge.Issue(pki.Leaf{
		PublicKey: key.Public(), DNSNames: dns, IPAddresses: ips,
		URIs: []*url.URL{pki.RouterSPIFFE("test", "r1")},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	router := tls.Certificate{PrivateKey: key}
	for _, c := range chain {
		router.Certificate = append(router.Certificate, c.Raw)
	}
	n.http.TLS.Certificates[0] = router
	client, err := New(identity, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Services(t.Context()); !errors.Is(err, pki.ErrNotController) {
		t.Errorf("got %v", err)
	}
}
