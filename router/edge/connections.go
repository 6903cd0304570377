package edge

// Connection is a connected client.
type Connection struct {
	ID            string // of the connection
	IdentityID    string
	SessionID     string
	Local, Remote string // addresses
}

// Connections lists the connected clients.
func (s *Server) Connections() []Connection {
	all := s.allClients()
	out := make([]Connection, 0, len(all))
	for _, c := range all {
		p := c.ch.Peer()
		if p == nil {
			continue
		}
		out = append(out, Connection{ID: p.ConnectionID, IdentityID: c.session.IdentityID, SessionID: c.session.ID,
			Local: p.Local.String(), Remote: p.Remote.String()})
	}
	return out
}
