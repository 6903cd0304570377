package app

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// admin is the first administrator of a network.
type admin struct{ Username, Password string }

// randomPassword returns a password of more than 120 random bits.
func randomPassword() string { return rand.Text() }

// create makes the network of l: keys, state with administrator, router and
// default policies, and configuration files. When it fails, it leaves the
// directory as it found it.
func create(ctx context.Context, l *layout, first admin, log *slog.Logger) (err error) {
	existed := true
	if _, err := os.Stat(l.Dir); errors.Is(err, fs.ErrNotExist) {
		existed = false
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make the network: %w", err), l.remove(existed))
		}
	}()
	if err := os.MkdirAll(filepath.Join(l.Dir, dirRouterData), 0o700); err != nil {
		return err
	}
	router, err := l.makePKI(time.Now())
	if err != nil {
		return err
	}
	if err := l.makeState(ctx, first, router, log); err != nil {
		return err
	}
	return l.writeFiles()
}

// remove takes away what create made.
func (l *layout) remove(keepDir bool) error {
	if !keepDir {
		return os.RemoveAll(l.Dir)
	}
	var errs []error
	for _, name := range []string{fileController, fileRouter, dirPKI, dirData} {
		errs = append(errs, os.RemoveAll(filepath.Join(l.Dir, name)))
	}
	return errors.Join(errs...)
}

// makePKI writes the PKI with the certificates of the controller and of the
// router, and returns the router that they belong to.
func (l *layout) makePKI(now time.Time) (*model.EdgeRouter, error) {
	network, err := pki.NewNetwork(id.UUID(), now)
	if err != nil {
		return nil, err
	}
	controller, err := network.NewController(id.Short(), l.names(), now)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(l.Dir, dirPKI)
	if err := network.Write(dir, controller); err != nil {
		return nil, err
	}
	return l.makeRouter(network.Edge, dir, now)
}

// makeRouter issues the certificates that enrolment would give the router and
// writes them to dir.
func (l *layout) makeRouter(ca *pki.Authority, dir string, now time.Time) (*model.EdgeRouter, error) {
	key, err := pki.NewKey()
	if err != nil {
		return nil, err
	}
	router := &model.EdgeRouter{Base: model.Base{ID: id.New()}, Name: "router", IsVerified: true}
	leaf := pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: router.ID, Organization: []string{"Weft"}}}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	client, err := ca.Issue(leaf, now)
	if err != nil {
		return nil, err
	}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.DNSNames, leaf.IPAddresses = pki.SplitNames(l.names())
	server, err := ca.Issue(leaf, now)
	if err != nil {
		return nil, err
	}
	keyText, err := pki.EncodeKey(key)
	if err != nil {
		return nil, err
	}
	router.CertPem, router.Fingerprint = pki.EncodeCertificates(client...), pki.Fingerprint(client[0])
	return router, errors.Join(
		pki.WriteNew(filepath.Join(dir, fileRouterCert), router.CertPem, 0o644),
		pki.WriteNew(filepath.Join(dir, fileRouterServer), pki.EncodeCertificates(server...), 0o644),
		pki.WriteNew(filepath.Join(dir, fileRouterKey), keyText, 0o600),
	)
}

// makeState writes the first entry of the controller's log.
func (l *layout) makeState(ctx context.Context, first admin, router *model.EdgeRouter, log *slog.Logger) error {
	text, err := l.render(fileController)
	if err != nil {
		return err
	}
	cfg, _, err := conf.ParseController(l.controllerFile(), []byte(text), nil)
	if err != nil {
		return err
	}
	s, err := openStopped(ctx, cfg, log)
	if err != nil {
		return err
	}
	command, err := firstCommand(ctx, first, time.Now())
	if err == nil {
		err = s.Write(ctx, command.Create(router).Create(everyRouter()).Create(everyService()))
	}
	return errors.Join(err, s.Close())
}

// firstCommand returns the command of a new network with its administrator.
func firstCommand(ctx context.Context, first admin, now time.Time) (*state.Command, error) {
	command, err := state.Initial(now)
	if err != nil {
		return nil, err
	}
	return addAdmin(ctx, command, first)
}

// addAdmin adds the default administrator with a password to a command.
func addAdmin(ctx context.Context, command *state.Command, first admin) (*state.Command, error) {
	hash, err := auth.NewPasswords(auth.PasswordCost{}).Hash(ctx, first.Password)
	if err != nil {
		return nil, err
	}
	identity := &model.Identity{
		Base: model.Base{ID: id.New()}, Name: "Default Admin", Type: model.IdentityDefault,
		IsAdmin: true, IsDefaultAdmin: true, AuthPolicyID: model.DefaultAuthPolicyID,
	}
	model.Settle(identity)
	password := &model.Authenticator{
		Base: model.Base{ID: id.New()}, Method: model.MethodUpdb, IdentityID: identity.ID,
		Username: first.Username, PasswordHash: hash,
	}
	model.Settle(password)
	return command.Create(identity).Create(password), nil
}

// everyRouter lets every identity use every router.
func everyRouter() *model.EdgeRouterPolicy {
	return &model.EdgeRouterPolicy{
		Base: model.Base{ID: id.New()}, Name: "all-routers", Semantic: model.AnyOf,
		IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"},
	}
}

// everyService lets every service be used through every router.
func everyService() *model.ServiceEdgeRouterPolicy {
	return &model.ServiceEdgeRouterPolicy{
		Base: model.Base{ID: id.New()}, Name: "all-services", Semantic: model.AnyOf,
		ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"},
	}
}

// openStopped opens the state of a controller that does not run, and makes it a
// network of its own if it is empty.
func openStopped(ctx context.Context, cfg *conf.Controller, log *slog.Logger) (*store, error) {
	identity, err := loadIdentity("identity", cfg.Identity)
	if err != nil {
		return nil, err
	}
	controllerID, err := commonName(identity)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, cfg, controllerID, true, log)
}

// InitAdmin creates the default administrator in the stopped controller of a
// configuration, which becomes a network of its own if its data is empty. It
// fails when there is a default administrator already or the controller runs.
func InitAdmin(ctx context.Context, cfg *conf.Controller, username, password string, log *slog.Logger) (err error) {
	if err := checkCredentials(username, password); err != nil {
		return err
	}
	s, err := openStopped(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.ensureInitial(ctx, time.Now()); err != nil {
		return err
	}
	for i := range state.All[model.Identity](s.View()) {
		if i.IsDefaultAdmin {
			return problem("change it through the management API", "the network has its default administrator, %q, already", i.Name)
		}
	}
	command, err := addAdmin(ctx, state.NewCommand(time.Now(), state.Author{Type: "controller"}, state.Source{Type: "internal", Method: "init"}).AsSystem(), admin{username, password})
	if err != nil {
		return err
	}
	return s.Write(ctx, command)
}

// checkCredentials holds a user name and password to what logins accept.
func checkCredentials(username, password string) error {
	if n := len(username); n < 4 || n > 100 {
		return errors.New("the user name needs 4 to 100 characters")
	}
	if n := len(password); n < 5 || n > 100 {
		return errors.New("the password needs 5 to 100 characters")
	}
	return nil
}
