package http

import (
	"context"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/database"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/state"
)

// Database is the state of this controller as a whole. Safe for concurrent use.
type Database interface {
	// Snapshot writes the state to a file, the usual one if path is empty, and
	// returns where it was written; fault.RateLimited if the last one is not
	// a minute old.
	Snapshot(ctx context.Context, path string) (written string, err error)
	// Check starts a check, which mends what it finds, in the name of the
	// author, if fix is set; fault.RateLimited while one runs.
	Check(fix bool, author state.Author, source state.Source) error
	// Results returns what the last check has found.
	Results() database.Results
}

func (s *Server) databaseHandlers(h handlers) {
	h["createDatabaseSnapshot"] = func(c *call) error {
		if _, err := s.cfg.Database.Snapshot(c.ctx, ""); err != nil {
			return err
		}
		return c.done()
	}
	h["createDatabaseSnapshotWithPath"] = func(c *call) error {
		var path string
		if in, _ := c.body.(*api.SnapshotRequest); in != nil && in.Path != nil {
			path = *in.Path
		}
		written, err := s.cfg.Database.Snapshot(c.ctx, path)
		if err != nil {
			return err
		}
		return c.detail(&api.SnapshotResult{Path: written})
	}
	h["checkDataIntegrity"] = func(c *call) error { return s.integrity(c, false) }
	h["fixDataIntegrity"] = func(c *call) error { return s.integrity(c, true) }
	h["dataIntegrityResults"] = s.integrityResults
}

func (s *Server) integrity(c *call, fix bool) error {
	cmd := c.command()
	return c.after(s.cfg.Database.Check(fix, cmd.Author, cmd.Source))
}

func (s *Server) integrityResults(c *call) error {
	found := s.cfg.Database.Results()
	r := api.IntegrityResults{InProgress: found.InProgress, FixingErrors: found.Fixing, TooManyErrors: found.TooMany, StartTime: found.Start, EndTime: found.End}
	if found.Err != nil {
		text := found.Err.Error()
		r.Error = &text
	}
	for _, f := range found.Findings {
		r.Results = append(r.Results, api.IntegrityFinding{Description: f.Description, Fixed: f.Fixed})
	}
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, &r)
	b = append(b, `,"meta":{"pagination":{"limit":-1,"offset":0,"totalCount":`...)
	c.out = append(api.AppendAny(b, int64(len(r.Results))), "}}}\n"...)
	c.send(c.ep.op.Result.Status)
	return nil
}

// Cluster is the cluster of this controller. Safe for concurrent use.
type Cluster interface {
	Members() []api.ClusterMember
	// AddMember takes a controller in: fault.InvalidField if it cannot be
	// reached.
	AddMember(ctx context.Context, address string, voter bool) error
	RemoveMember(ctx context.Context, id string) error
	// TransferLeadership hands the leadership to a member, any voter if id is
	// empty: fault.TransferLeadership if that is not possible.
	TransferLeadership(ctx context.Context, id string) error
}

func (s *Server) clusterHandlers(h handlers) {
	h["clusterListMembers"] = func(c *call) error { return c.plain(&api.ClusterMembers{Data: s.cfg.Cluster.Members()}) }
	h["clusterMemberAdd"] = func(c *call) error {
		in := c.body.(*api.ClusterMemberAdd)
		if *in.Address == "" {
			return fault.CouldNotValidate.Field("address", "may not be empty", "")
		}
		return c.after(s.cfg.Cluster.AddMember(c.ctx, *in.Address, *in.IsVoter))
	}
	h["clusterMemberRemove"] = func(c *call) error {
		return c.after(s.cfg.Cluster.RemoveMember(c.ctx, *c.body.(*api.ClusterMemberRemove).ID))
	}
	h["clusterTransferLeadership"] = func(c *call) error {
		var id string
		if to := c.body.(*api.ClusterTransferLeadership).NewLeaderID; to != nil {
			id = *to
		}
		return c.after(s.cfg.Cluster.TransferLeadership(c.ctx, id))
	}
}

// after answers with the empty envelope unless there was an error.
func (c *call) after(err error) error {
	if err != nil {
		return err
	}
	return c.done()
}
