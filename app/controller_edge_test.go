package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
)

// TestEnrollmentAndCodeKeys reads how long tokens live that a running controller
// makes, and whom it names as the issuer of one-time codes.
func TestEnrollmentAndCodeKeys(t *testing.T) {
	n := newTestNetwork(t)
	n.restartController(func(c *conf.Controller) {
		c.Edge.Enrollment.EdgeIdentity.Duration, c.Edge.Enrollment.EdgeRouter.Duration = 7*time.Minute, 11*time.Minute
		c.Edge.TOTP.Hostname = "codes.example"
	})
	ctx := testContext(t)
	admin, err := logIn(ctx, n.up, "admin", "secret")
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	before := time.Now()
	person, err := admin.Management().CreateIdentity(ctx, &client.IdentityInput{
		Name: client.Ptr("person"), Type: client.Ptr("Default"), IsAdmin: client.Ptr(false), Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	router, err := admin.Management().CreateEdgeRouter(ctx, &client.EdgeRouterInput{Name: client.Ptr("r2")})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := admin.Management().DetailIdentity(ctx, person.ID)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := admin.Management().DetailEdgeRouter(ctx, router.ID)
	if err != nil {
		t.Fatal(err)
	}
	if life := identity.Enrollment.Ott.ExpiresAt.Sub(before).Round(time.Minute); life != 7*time.Minute {
		t.Errorf("tokens of identities live for %s", life)
	}
	if life := machine.EnrollmentExpiresAt.Sub(before).Round(time.Minute); life != 11*time.Minute {
		t.Errorf("tokens of routers live for %s", life)
	}
	if _, err := admin.Edge().EnrollMfa(ctx); err != nil {
		t.Fatal(err)
	}
	if m, err := admin.Edge().DetailMfa(ctx); err != nil || !strings.Contains(m.ProvisioningURL, "codes.example") {
		t.Errorf("%+v %v", m, err)
	}
}

// TestAuditKeys has changes recorded where the configuration says, or not at all.
func TestAuditKeys(t *testing.T) {
	n := newTestNetwork(t)
	dir := filepath.Join(t.TempDir(), "records")
	n.restartController(func(c *conf.Controller) { c.Audit.Dir = dir })
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		t.Errorf("no record in audit.dir: %v %v", files, err)
	}
	off := filepath.Join(t.TempDir(), "off")
	n.restartController(func(c *conf.Controller) { c.Audit.Dir, c.Audit.Enabled = off, false })
	if _, err := os.Stat(off); !os.IsNotExist(err) {
		t.Errorf("a record although it is switched off: %v", err)
	}
}
