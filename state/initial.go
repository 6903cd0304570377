package state

import (
	"time"

	"github.com/weftnet/weft/model"
)

// Initial returns the command that turns an empty store into a new network: the
// built-in config types and the default auth policy. The caller adds what is
// particular to the network, such as its first administrator and its keys.
func Initial(now time.Time) (*Command, error) {
	types, err := model.BuiltinConfigTypes()
	if err != nil {
		return nil, err
	}
	c := NewCommand(now, Author{Type: "controller"}, Source{Type: "internal", Method: "initial"}).AsSystem()
	for _, t := range types {
		c.Create(t)
	}
	return c.Create(model.DefaultAuthPolicy()), nil
}
