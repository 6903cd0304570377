package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/declare"
	"github.com/weftnet/weft/state"
)

// tried returns a view as a declaration would make it.
func (d *declarations) tried(c *call, in *api.Declaration, v *state.View) (*state.View, error) {
	if err := d.planning.Acquire(c.ctx, 1); err != nil {
		return nil, err
	}
	defer d.planning.Release(1)
	files := make([]declare.File, len(in.Files))
	for i, f := range in.Files {
		files[i] = declare.File{Name: f.Name, Text: *f.Text}
	}
	doc, err := declare.Read(files)
	if err != nil {
		return nil, err
	}
	before := c.state
	plan, err := declare.Make(v, doc, declare.Options{Caller: c.caller.IdentityID, Command: c.command()}, declarer{d, c, true})
	c.state = before
	if err != nil {
		return nil, err
	}
	return v.Try(plan.Command)
}
