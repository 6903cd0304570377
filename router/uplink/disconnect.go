package uplink

// Disconnect ends the session with the controller, if there is one, and reports
// whether there was. The router calls again.
func (u *Uplink) Disconnect() bool {
	s, _ := u.current()
	if s != nil {
		s.Close()
	}
	return s != nil
}
