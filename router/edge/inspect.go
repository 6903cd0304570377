package edge

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/weftnet/weft/wire/edge"
)

const (
	inspectPatience = 2 * time.Second // for all clients together
	inspectAtOnce   = 64
)

// ClientInspection is what a connected client says of itself.
type ClientInspection struct {
	IdentityID string          `json:"identityId"`
	SessionID  string          `json:"apiSessionId"`
	Value      json.RawMessage `json:"value"`
}

// InspectClients asks all connected clients for a value, for example `circuits`
// or `context`. Many do not answer; those are left out.
func (s *Server) InspectClients(ctx context.Context, value string) []ClientInspection {
	ctx, cancel := context.WithTimeout(ctx, inspectPatience)
	defer cancel()
	var (
		mu   sync.Mutex
		out  = []ClientInspection{}
		work sync.WaitGroup
	)
	slots := make(chan struct{}, inspectAtOnce)
	for _, c := range s.allClients() {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		work.Go(func() {
			defer func() { <-slots }()
			if v := c.inspect(ctx, value); v != nil {
				mu.Lock()
				defer mu.Unlock()
				out = append(out, ClientInspection{c.session.IdentityID, c.session.ID, v})
			}
		})
	}
	work.Wait()
	return out
}

// inspect asks the client as a whole for a value; nil if it does not tell.
func (c *client) inspect(ctx context.Context, value string) json.RawMessage {
	answer, err := c.ch.Request(ctx, (&edge.InspectRequest{Values: []string{value}}).Encode())
	if err != nil {
		return nil
	}
	r, err := edge.ParseInspectResponse(answer)
	if err != nil {
		return nil
	}
	return r.Values[value]
}
