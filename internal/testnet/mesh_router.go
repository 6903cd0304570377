package testnet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// linkDefaults are short times, so that tests see within seconds what operators
// see within minutes.
const linkDefaults = `
  heartbeats:
    sendInterval: 500ms
    checkInterval: 250ms
    unresponsiveAfter: 2s
    closeUnresponsiveTimeout: 4s
`

const dialerDefaults = `
      startupDelay: 100ms
      healthyDialBackoff: {minRetryInterval: 100ms, maxRetryInterval: 1s}
      unhealthyDialBackoff: {minRetryInterval: 100ms, maxRetryInterval: 1s, retryBackoffFactor: 2}
`

// configuration is the file of a router, in the format of the ecosystem.
func (m *Mesh) configuration(r *MeshRouter) string {
	at := func(file string) string { return strconv.Quote(filepath.Join(m.Dir, r.Name+file)) }
	var b strings.Builder
	fmt.Fprintf(&b, `v: 3
identity:
  cert: %s
  server_cert: %s
  key: %s
  ca: %s
ctrl:
  endpoint: tls:%s
  endpointsFile: %s
edge:
  db: %s
  csr:
    sans:
      ip: [%s]
listeners:
  - binding: edge
    address: tls:%s:%d
    options:
      advertise: %[8]s:%[10]d
dialers:
  - binding: transport
    options: {connectTimeout: 2s}
`, at(".cert"), at(".server"), at(".key"), at(".ca"), m.APIAddress(), at(".endpoints"), at(".db"), r.Host.Addr, r.Host.Addr, edgePort)
	heartbeats, dials := linkDefaults, dialerDefaults
	if m.options.DefaultTimes {
		heartbeats, dials = "\n", "\n"
	}
	if len(r.dials)+len(r.listens) > 0 {
		b.WriteString("link:" + heartbeats)
	}
	if len(r.listens) > 0 {
		fmt.Fprintf(&b, "  listeners:\n    - binding: transport\n      bind: tls:%s:%d\n      advertise: tls:%[1]s:%[2]d\n      groups: [%s]\n",
			r.Host.Addr, linkPort, strings.Join(r.listens, ", "))
	}
	if len(r.dials) > 0 {
		fmt.Fprintf(&b, "  dialers:\n    - binding: transport\n      groups: [%s]%s", strings.Join(r.dials, ", "), dials)
	}
	if m.options.Files != nil {
		return m.options.Files(r.Name, b.String()+m.options.More)
	}
	return b.String() + m.options.More
}

// enrolRouter makes the router and lets the program enrol it on its host.
func (m *Mesh) enrolRouter(r *MeshRouter) (err error) {
	ctx := context.Background()
	if r.ID, err = m.Admin.Create(ctx, "edge-routers", map[string]any{"name": r.Name, "roleAttributes": []string{r.Name}}); err != nil {
		return err
	}
	var made struct{ EnrollmentJwt string }
	if err := m.Admin.Call(ctx, "GET", "/edge-routers/"+r.ID, nil, &made); err != nil {
		return err
	}
	if err := m.runOn(r.Host, r.Name+".jwt", made.EnrollmentJwt, "router", "enroll", r.File, "--jwt"); err != nil {
		return fmt.Errorf("enrol %s: %w", r.Name, err)
	}
	r.Process = r.Host.NewProcess(m.options.Program, "router", "run", r.File)
	return nil
}

// runOn runs the program on a host until its end; the last argument is a file
// with the given text.
func (m *Mesh) runOn(h *Host, file, text string, args ...string) error {
	file = filepath.Join(m.Dir, file)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	p := h.NewProcess(m.options.Program, append(args, file)...)
	if err := p.Start(); err != nil {
		return err
	}
	<-p.Ended()
	if p.ExitCode() != 0 {
		return fmt.Errorf("%v: exit code %d\n%s", p.Args, p.ExitCode(), p.Tail())
	}
	return nil
}

// Enrol makes an identity that may use the routers of the given names, lets the
// program enrol it on a host, and returns the identity file.
func (m *Mesh) Enrol(h *Host, name string, routers ...string) (string, error) {
	ctx := context.Background()
	id, err := m.Admin.Create(ctx, "identities", map[string]any{
		"name": name, "type": "Default", "isAdmin": false, "enrollment": map[string]any{"ott": true},
	})
	if err != nil {
		return "", err
	}
	roles := make([]string, len(routers))
	for i, r := range routers {
		roles[i] = "#" + r
	}
	if _, err := m.Admin.Create(ctx, "edge-router-policies", map[string]any{
		"name": name, "semantic": "AnyOf", "identityRoles": []string{"@" + id}, "edgeRouterRoles": roles,
	}); err != nil {
		return "", err
	}
	var made struct {
		Enrollment struct{ Ott struct{ JWT string } }
	}
	if err := m.Admin.Call(ctx, "GET", "/identities/"+id, nil, &made); err != nil {
		return "", err
	}
	file := filepath.Join(m.Dir, name+".json")
	return file, m.runOn(h, name+".jwt", made.Enrollment.Ott.JWT, "enroll", "--out", file, "--jwt")
}

// Service makes a service that everybody may dial and host, and returns its id.
// more are further fields.
func (m *Mesh) Service(name string, more map[string]any) (string, error) {
	body := map[string]any{"name": name, "encryptionRequired": false}
	for key, value := range more {
		body[key] = value
	}
	ctx := context.Background()
	id, err := m.Admin.Create(ctx, "services", body)
	if err != nil {
		return "", err
	}
	for _, kind := range []string{"Dial", "Bind"} {
		if _, err := m.Admin.Create(ctx, "service-policies", map[string]any{
			"name": name + kind, "type": kind, "semantic": "AnyOf", "identityRoles": []string{"#all"}, "serviceRoles": []string{"@" + id},
		}); err != nil {
			return "", err
		}
	}
	return id, nil
}

// Terminator lets a router end the service at an address such as
// tcp:10.77.0.9:80, and returns its id.
func (m *Mesh) Terminator(serviceID string, r *MeshRouter, address string) (string, error) {
	return m.Admin.Create(context.Background(), "terminators", map[string]any{
		"service": serviceID, "router": r.ID, "binding": "transport", "address": address,
	})
}

// CLI runs the program on the controller's host until its end and returns what
// it writes to standard output.
func (m *Mesh) CLI(args ...string) (string, error) {
	p := m.process(args...)
	p.Env = []string{"HOME=" + m.Dir}
	if err := p.Start(); err != nil {
		return "", err
	}
	<-p.Ended()
	if p.ExitCode() != 0 {
		return p.Stdout(), fmt.Errorf("%v: exit code %d\n%s", args, p.ExitCode(), p.Tail())
	}
	return strings.TrimSpace(p.Stdout()), nil
}
