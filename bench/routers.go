package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weftnet/weft/internal/testnet"
)

// line gives the network as many routers as the wanted paths need, each linked
// to the next, and lets identities use the router of their role.
func (n *network) line(ctx context.Context, wanted []string) error {
	routers := 1
	for _, name := range wanted {
		w := weftPathOf(name)
		routers = max(routers, w.routers)
		if w.proxy {
			port, err := testnet.FreePort()
			if err != nil {
				return err
			}
			n.proxies[name] = port
		}
	}
	if err := n.extendFirst(routers > 1); err != nil {
		return err
	}
	for i := 2; i <= routers; i++ {
		if err := n.addRouter(ctx, i, i < routers); err != nil {
			return fmt.Errorf("router %d: %w", i, err)
		}
	}
	return n.assign(ctx, routers)
}

// extendFirst gives the router of `weft up` its proxy listeners and lets it dial
// the second router.
func (n *network) extendFirst(linked bool) error {
	file := filepath.Join(n.dir, "router.yml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var proxies strings.Builder
	for service, port := range n.proxies {
		fmt.Fprintf(&proxies, "\n  - binding: proxy\n    address: tcp:127.0.0.1:%d\n    service: %s", port, service)
	}
	out := strings.Replace(string(text), "\nlisteners:", "\nlisteners:"+proxies.String(), 1)
	if linked {
		dialers := "\nlink:\n  dialers:\n    - binding: transport\n"
		out = strings.Replace(out, dialers, dialers+fmt.Sprintf("      groups: [%s]\n", group(1)), 1)
	}
	return os.WriteFile(file, []byte(out), 0o600)
}

// group joins a router of the line with the next.
func group(router int) string { return fmt.Sprintf("hop-%d", router) }

// addRouter creates, enrols and configures a further router of the line.
func (n *network) addRouter(ctx context.Context, number int, more bool) error {
	name := fmt.Sprintf("router-%d", number)
	edgePort, err := testnet.FreePort()
	if err != nil {
		return err
	}
	linkPort, err := testnet.FreePort()
	if err != nil {
		return err
	}
	at := func(file string) string { return strconv.Quote(filepath.Join(n.dir, name+file)) }
	text := fmt.Sprintf(`v: 3
identity:
  cert: %s
  server_cert: %s
  key: %s
  ca: %s
ctrl:
  endpoint: tls:localhost:%d
  endpointsFile: %s
edge:
  db: %s
  csr:
    sans:
      dns: [localhost]
      ip: ["127.0.0.1"]
listeners:
  - binding: edge
    address: tls:127.0.0.1:%d
    options:
      advertise: localhost:%d
dialers:
  - binding: transport
link:
  listeners:
    - binding: transport
      bind: tls:127.0.0.1:%d
      advertise: tls:localhost:%d
      groups: [%s]
`, at(".cert"), at(".server"), at(".key"), at(".ca"), n.apiPort, at(".endpoints"), at(".db"),
		edgePort, edgePort, linkPort, linkPort, group(number-1))
	if more {
		text += fmt.Sprintf("  dialers:\n    - binding: transport\n      groups: [%s]\n", group(number))
	}
	file := filepath.Join(n.dir, name+".yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	n.files = append(n.files, file)
	return n.enrolRouter(ctx, name, file)
}

func (n *network) enrolRouter(ctx context.Context, name, file string) error {
	id, err := n.api.Create(ctx, "edge-routers", map[string]any{"name": name})
	if err != nil {
		return err
	}
	var detail struct{ EnrollmentJwt string }
	if err := n.api.Call(ctx, "GET", "/edge-routers/"+id, nil, &detail); err != nil {
		return err
	}
	n.ids = append(n.ids, id)
	jwt := file + ".jwt"
	if err := os.WriteFile(jwt, []byte(detail.EnrollmentJwt), 0o600); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, n.binary, "router", "enroll", file, "--jwt", jwt).CombinedOutput()
	if err != nil {
		return fmt.Errorf("enrol: %w\n%s", err, out)
	}
	return nil
}

// assign replaces the policy that lets everybody use every router: an identity
// uses the router of its role.
func (n *network) assign(ctx context.Context, routers int) error {
	var policies []struct{ ID, Name string }
	if err := n.api.Call(ctx, "GET", "/edge-router-policies", nil, &policies); err != nil {
		return err
	}
	for _, p := range policies {
		if p.Name == "all-routers" {
			if err := n.api.Call(ctx, "DELETE", "/edge-router-policies/"+p.ID, nil, nil); err != nil {
				return err
			}
		}
	}
	for i := range routers {
		_, err := n.api.Create(ctx, "edge-router-policies", map[string]any{"name": attribute(i + 1), "semantic": "AnyOf",
			"identityRoles": []string{"#" + attribute(i+1)}, "edgeRouterRoles": []string{"@" + n.ids[i]}})
		if err != nil {
			return err
		}
	}
	return nil
}
