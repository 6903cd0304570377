package declare

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// plainRules are the rules of a caller who may do everything, without those
// that the API adds.
type plainRules struct {
	ids    int
	forbid string // section and action
}

func (r *plainRules) Permit(s *Section, action string) error {
	if s.Name+" "+action == r.forbid {
		return fmt.Errorf("forbidden: %s", r.forbid)
	}
	return nil
}

func (r *plainRules) Create(_ *state.View, _ *Section, e model.Entity, _ map[string]any) ([]state.Op, error) {
	r.ids++
	e.Meta().ID = fmt.Sprintf("id%d", r.ids)
	if err := model.Derive(e); err != nil {
		return nil, err
	}
	return command().Create(e).Ops, nil
}

func (r *plainRules) Change(_ *state.View, _ *Section, old model.Entity, fields map[string]any) ([]state.Op, error) {
	return command().Patch(old.Kind(), old.Meta().ID, fields).Ops, nil
}

func (r *plainRules) Delete(_ *state.View, _ *Section, old model.Entity) ([]state.Op, error) {
	return command().Delete(old.Kind(), old.Meta().ID).Ops, nil
}

func command() *state.Command { return state.NewCommand(noon, state.Author{}, state.Source{}) }

// network is a state with what every network begins with.
type network struct {
	*testing.T
	store *state.Store
	index uint64
	rules *plainRules
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	s, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	n := &network{T: t, store: s, rules: new(plainRules)}
	first, err := state.Initial(noon)
	if err != nil {
		t.Fatal(err)
	}
	admin := &model.Identity{Name: "admin", IsAdmin: true, IsDefaultAdmin: true}
	admin.ID = "admin"
	n.write(first.Create(admin).AsSystem())
	return n
}

func (n *network) write(c *state.Command) {
	n.Helper()
	text, err := c.Encode()
	if err != nil {
		n.Fatal(err)
	}
	n.index++
	results, err := n.store.Apply([]uint64{n.index}, [][]byte{text})
	if err != nil || results[0] != nil {
		n.Fatal(err, results)
	}
}

func (n *network) plan(text string, o Options) (*Plan, error) {
	d, err := Read([]File{{"net.yml", text}})
	if err != nil {
		return nil, err
	}
	o.Command = command()
	return Make(n.store.View(), d, o, n.rules)
}

// apply makes the network as the text says and returns the plan.
func (n *network) apply(text string, o Options) *Plan {
	n.Helper()
	p, err := n.plan(text, o)
	if err != nil {
		n.Fatal(err)
	}
	if len(p.Command.Ops) > 0 {
		n.write(p.Command)
	}
	return p
}

func (n *network) export(o ExportOptions) string {
	n.Helper()
	var b bytes.Buffer
	if err := Export(&b, n.store.View(), o); err != nil {
		n.Fatal(err)
	}
	return b.String()
}

// count returns how many changes of a plan have an action.
func count(p *Plan, action string) int {
	n := 0
	for _, c := range p.Changes {
		if c.Action == action {
			n++
		}
	}
	return n
}

// certificateAuthority returns a certificate of a new CA.
func certificateAuthority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: noon, NotAfter: noon.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
