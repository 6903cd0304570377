package http

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

// fakeCluster is a cluster of one.
type fakeCluster struct {
	added, removed []string
	refuse         error
}

func (c *fakeCluster) Members() []api.ClusterMember {
	return []api.ClusterMember{{ID: "ctrl-1", Address: "tls:localhost:1280", Connected: true, Leader: true, Voter: true, Version: "v0.1.0"}}
}

func (c *fakeCluster) AddMember(_ context.Context, address string, _ bool) error {
	c.added = append(c.added, address)
	return c.refuse
}

func (c *fakeCluster) RemoveMember(_ context.Context, id string) error {
	c.removed = append(c.removed, id)
	return c.refuse
}

func (c *fakeCluster) TransferLeadership(context.Context, string) error { return c.refuse }

func TestSnapshotOperations(t *testing.T) {
	f := newFixture(t)
	f.do("POST", m("/database/snapshot"), nil).status(200)
	f.do("POST", fb("/database"), nil).status(429).is("error.code", "RATE_LIMITED")
	f.do("POST", fb("/database/snapshot"), obj{"path": "x"}).status(429)
	f.now = f.now.Add(time.Minute)
	a := f.do("POST", fb("/database/snapshot"), obj{"path": "__DB_DIR__/a-RAFT_INDEX"}).status(200)
	if got := filepath.Dir(a.at("data.path").(string)); got != f.dir {
		t.Errorf("written to %s, want a file in %s", got, f.dir)
	}
	if _, err := os.Stat(a.at("data.path").(string)); err != nil {
		t.Error(err)
	}
	f.now = f.now.Add(time.Minute)
	f.do("POST", fb("/database/snapshot"), obj{"path": f.dir + "/none/x"}).status(400).is("error.cause.field", "path")
	f.do("POST", fb("/database/snapshot"), nil).status(200)
	if files, _ := os.ReadDir(f.dir); len(files) != 3 {
		t.Errorf("files: %v", files)
	}
}

func TestIntegrityOperations(t *testing.T) {
	f := newFixture(t)
	f.do("GET", m("/database/data-integrity-results"), nil).status(200).is("data.results", nil).is("data.inProgress", false)
	f.do("POST", m("/database/check-data-integrity"), nil).status(202)
	for f.database.Results().InProgress {
		time.Sleep(time.Millisecond)
	}
	f.do("GET", fb("/database/data-integrity-results"), nil).status(200).is("data.error", nil).is("meta.pagination.limit", -1).is("meta.pagination.totalCount", 0)
	f.do("POST", fb("/database/fix-data-integrity"), nil).status(202)
}

func TestClusterOperations(t *testing.T) {
	f := newFixture(t)
	f.do("GET", fb("/cluster/list-members"), nil).status(200).is("data.0.id", "ctrl-1").is("data.0.leader", true).is("meta", nil)
	f.do("POST", fb("/cluster/add-member"), obj{"isVoter": true}).status(400).is("error.cause.field", "address")
	f.do("POST", fb("/cluster/add-member"), obj{"address": "", "isVoter": true}).status(400)
	f.do("POST", fb("/cluster/add-member"), obj{"address": "tls:x:1", "isVoter": true}).status(200)
	f.do("POST", fb("/cluster/remove-member"), obj{"id": "x"}).status(200)
	f.do("POST", fb("/cluster/transfer-leadership"), obj{}).status(200)
	if len(f.cluster.added) != 1 || f.cluster.removed[0] != "x" {
		t.Errorf("%+v", f.cluster)
	}
	f.cluster.refuse = fault.TransferLeadership.Errorf("no cluster node found with id x")
	f.do("POST", fb("/cluster/transfer-leadership"), obj{"newLeaderId": "x"}).status(409).is("error.code", "TRANSFER_LEADERSHIP_ERROR")
}

func TestSpecs(t *testing.T) {
	f := newFixture(t)
	f.do("GET", m("/specs"), nil, "zt-session", "").status(200).is("data.0.id", "edge-client")
	f.do("GET", m("/specs/fabric"), nil, "zt-session", "").status(200).is("data.name", "fabric")
	f.do("GET", c("/specs/nope"), nil).status(404)
	f.do("GET", c("/specs/edge-client/spec"), nil).status(200).is("info.title", "Weft Edge Client API")
	a := f.do("GET", c("/specs/edge-management/spec"), nil, "Accept", "text/yaml").status(200)
	if text := a.ResponseRecorder.Body.String(); text[:14] != "openapi: 3.1.0" || a.Header().Get("Content-Type") != "text/yaml" {
		t.Errorf("%.100s", text)
	}
	for path, title := range map[string]string{m("/swagger.json"): "Weft Edge Management API", c("/openapi.json"): "Weft Edge Client API", fb("/openapi.json"): "Weft Fabric API", "/swagger.json": "Weft Edge Client API"} {
		f.do("GET", path, nil, "zt-session", "").status(200).is("info.title", title)
	}
	f.do("GET", c("/swagger.json"), nil, "Referer", "https://x"+api.ManagementBase+"/docs").is("info.title", "Weft Edge Management API")
	for _, path := range []string{m("/docs"), c("/docs"), fb("/docs")} {
		if a := f.do("GET", path, nil, "zt-session", "").status(200); a.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %v", path, a.Header())
		}
	}
}

// TestWellKnownPaths: of the paths below /.well-known only the trust anchors
// belong to the client API.
func TestWellKnownPaths(t *testing.T) {
	f := newFixture(t)
	for path, want := range map[string]int{"/.well-known/est/cacerts": 200, "/edge/v1/.well-known/est/cacerts": 200, c("/.well-known/est/cacerts"): 200,
		m("/.well-known/est/cacerts"): 200, "/.well-known/openid-configuration": 404} {
		f.do("GET", path, nil, "zt-session", "").status(want)
	}
	f.do("GET", "/.well-known/openid-configuration", nil).contains("error.cause.message", "path /.well-known/openid-configuration was not found")
	f.do("GET", c("/enumerated-router-capabilities"), nil, "zt-session", "").status(200).is("data.1", "ConnectV2")
}
