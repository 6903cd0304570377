package enroll

import (
	"context"
	"errors"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// TestRenewalDoesNotUndoAReEnrolment: an operator takes the certificates of a
// router away while the router, which may be somebody else by now, renews them
// again and again.
func TestRenewalDoesNotUndoAReEnrolment(t *testing.T) {
	ctx := context.Background()
	for name, renew := range map[string]func(b *bench, first *Result) error{
		"offer": func(b *bench, first *Result) error {
			_, err := b.OfferRouter(ctx, "router1", parse(t, first.Cert)[0], b.csr("router1"), b.csr("router1"))
			return err
		},
		"extend": func(b *bench, first *Result) error {
			_, err := b.ExtendRouter(ctx, parse(t, first.Cert), b.csr("router1"), b.csr("router1"))
			return err
		},
		"confirm": func(b *bench, first *Result) error {
			again := b.before
			b.before = nil
			offer, err := b.OfferRouter(ctx, "router1", parse(t, first.Cert)[0], b.csr("router1"), b.csr("router1"))
			if err != nil {
				t.Fatal(err)
			}
			b.before = again
			return b.ConfirmRouter(ctx, "router1", offer.Cert)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
			first, err := b.Enroll(ctx, Request{Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.csr("router1")})
			if err != nil {
				t.Fatal(err)
			}
			b.before = func() {
				b.apply(b.cmd().Patch(model.KindEdgeRouter, "router1", map[string]any{
					"fingerprint": "", "certPem": "", "isVerified": false, "unverifiedFingerprint": "", "unverifiedCertPem": "",
				}))
			}
			if err := renew(b, first); !errors.Is(err, fault.Unauthorized) {
				t.Errorf("got %v", err)
			}
			r := state.Get[model.EdgeRouter](b.store.View(), "router1")
			if r.Fingerprint != "" || r.UnverifiedFingerprint != "" || r.IsVerified {
				t.Errorf("in force again: %q, offered %q", r.Fingerprint, r.UnverifiedFingerprint)
			}
		})
	}
}

// TestConfirmedTwiceAtOnce: the answer to a confirmation was late, and the router
// has sent another. A refusal would have it discard the certificate in force.
func TestConfirmedTwiceAtOnce(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	first, err := b.Enroll(ctx, Request{Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.csr("router1")})
	if err != nil {
		t.Fatal(err)
	}
	offer, err := b.OfferRouter(ctx, "router1", parse(t, first.Cert)[0], b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	b.before = func() {
		if err := b.ConfirmRouter(ctx, "router1", offer.Cert); err != nil {
			t.Error(err)
		}
	}
	if err := b.ConfirmRouter(ctx, "router1", offer.Cert); err != nil {
		t.Error(err)
	}
}
