package interop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/internal/mesh"
	"github.com/weftnet/weft/internal/testnet"
)

// meshNetwork is four routers on loopback:
//
//	dialers  a --- b  hosts
//	        / \   /
//	       d    c
//
// Identities that dial may use router a, those that host router b, unless they
// get other attributes of "at-a" to "at-d". The way between a and d can be cut;
// links that are removed come back at once.
type meshNetwork struct {
	*network
	mesh.View
	proxy string // address of router a that leads to the service proxiedService
	toD   relay
}

const proxiedService = "mesh-proxied"

var sharedMeshes struct {
	once sync.Once
	mesh *meshNetwork
	err  error
}

// sharedMesh is one mesh for all tests. Those that take its parts away run one
// after the other and leave it whole. Those that leave alone what is between the
// routers a and b run at the same time, after the others.
func sharedMesh(t *testing.T) *meshNetwork {
	t.Helper()
	s := &sharedMeshes
	s.once.Do(func() { s.mesh, s.err = startMeshNetwork() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.mesh.Mesh.Logs())
		}
	})
	return s.mesh
}

func endSharedMesh() error {
	if sharedMeshes.mesh == nil {
		return nil
	}
	sharedMeshes.mesh.toD.cut()
	return sharedMeshes.mesh.Mesh.End()
}

func startMeshNetwork() (_ *meshNetwork, err error) {
	port, err := testnet.FreePort()
	if err != nil {
		return nil, err
	}
	m := &meshNetwork{proxy: fmt.Sprintf("127.0.0.1:%d", port)}
	m.Mesh, err = testnet.StartMesh(testnet.MeshOptions{
		Options: testnet.Options{Program: binary, Username: adminUser, Password: adminPassword, Patience: patience},
		Routers: []string{"a", "b", "c", "d"},
		Links:   [][2]string{{"a", "b"}, {"a", "c"}, {"c", "b"}, {"a", "d"}},
		Files:   m.configure,
		Local:   true,
	})
	if err != nil {
		return nil, err
	}
	m.network = &network{Network: m.Mesh.Network, roles: map[string]string{"-dial": "at-a", "-host": "at-b"}}
	for _, step := range []func() error{m.waitAPI, m.login, m.assign, m.toD.heal, m.whole} {
		if err := step(); err != nil {
			m.Mesh.Kill()
			return nil, err
		}
	}
	return m, nil
}

// configure gives router a its proxy listener, and lets router d be dialed by
// way of the relay.
func (m *meshNetwork) configure(router, text string) string {
	switch router {
	case "a":
		return strings.Replace(text, "\nlisteners:", "\nlisteners:\n  - binding: proxy\n    address: tcp:"+m.proxy+"\n    service: "+proxiedService, 1)
	case "d":
		bind := regexp.MustCompile(`bind: tls:(\S+)\n`).FindStringSubmatch(text)
		host, _, _ := net.SplitHostPort(bind[1])
		m.toD.to, m.toD.addr = bind[1], net.JoinHostPort(host, "4023")
		return strings.Replace(text, "advertise: tls:"+bind[1], "advertise: tls:"+m.toD.addr, 1)
	}
	return text
}

// assign lets identities use the routers that their attributes name.
func (m *meshNetwork) assign() error {
	for _, r := range m.Mesh.Routers {
		if _, err := m.Admin.Create(context.Background(), "edge-router-policies", map[string]any{
			"name": "at-" + r.Name, "semantic": "AnyOf", "identityRoles": []string{"#at-" + r.Name}, "edgeRouterRoles": []string{"@" + r.ID},
		}); err != nil {
			return err
		}
	}
	return nil
}

// whole waits until all routers and links are there.
func (m *meshNetwork) whole() error {
	if !eventually(m.Mesh.AllOnline) {
		return fmt.Errorf("the routers are not online\n%s", m.Mesh.Logs())
	}
	var links []mesh.Link
	var err error
	if !eventually(func() bool {
		links, err = m.Links()
		return err == nil && len(links) == 4 && !slices.ContainsFunc(links, func(l mesh.Link) bool { return !l.Complete() })
	}) {
		return errors.Join(fmt.Errorf("links %+v\n%s", links, m.Mesh.Logs()), err)
	}
	return nil
}

// link is the one between two routers, nil without one.
func (m *meshNetwork) link(from, to string) *mesh.Link {
	links, _ := m.Links()
	if i := slices.IndexFunc(links, func(l mesh.Link) bool { return l.Between(from, to) }); i >= 0 {
		return &links[i]
	}
	return nil
}
