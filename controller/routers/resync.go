package routers

// Resync sends a router its whole slice, if it is connected.
func (r *Registry) Resync(routerID string) {
	r.mu.Lock()
	session := r.of(routerID).session
	r.mu.Unlock()
	if session != nil {
		r.cfg.Log.Info("router gets its whole slice again", "router", routerID)
		r.cfg.Feed.Resync(session)
	}
}
