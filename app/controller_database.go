package app

import (
	"time"

	"github.com/weftnet/weft/controller/database"
)

// makeDatabase makes what looks after the state as a whole.
func (c *Controller) makeDatabase() {
	dir, _ := dataDir(c.o.Config)
	c.database = database.New(database.Config{View: c.store.View, Write: inStep{c.store, c.feed}.Propose, Dir: dir, Now: time.Now, Log: c.o.Log})
	c.parts.add(c.database.Close)
}
