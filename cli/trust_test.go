package cli

import (
	"crypto/x509"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
)

func TestTopmost(t *testing.T) {
	now := time.Now()
	network, err := pki.NewNetwork("weft.test", now)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := pki.NewNetwork("weft.test", now)
	if err != nil {
		t.Fatal(err)
	}
	root, edge, foreign := network.Root.Certificate, network.Edge.Certificate, stranger.Edge.Certificate
	for _, tt := range []struct {
		name     string
		in, want []*x509.Certificate
	}{
		{"root and what it certified", []*x509.Certificate{edge, root}, []*x509.Certificate{root}},
		{"without its root", []*x509.Certificate{edge}, []*x509.Certificate{edge}},
		{"a foreign one among them", []*x509.Certificate{root, foreign, edge}, []*x509.Certificate{root, foreign}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := topmost(tt.in)
			if len(got) != len(tt.want) {
				t.Fatalf("%d CAs, want %d", len(got), len(tt.want))
			}
			for i := range got {
				if !got[i].Equal(tt.want[i]) {
					t.Errorf("got %s, want %s", got[i].Subject, tt.want[i].Subject)
				}
			}
		})
	}
}
