package forward

import "slices"

// Disturbed tells that a link lives on but has lost connections, with what was
// under way on them. The circuits that leave by these outlets, or by any of the
// link if there are none, are reported like those whose messages cannot be
// passed on, so that their ends repeat at once what is not acknowledged.
func (t *Table) Disturbed(linkID string, outlets []*Outlet) {
	for _, c := range t.All() {
		for s := range c.ends {
			e, ok := c.Destination(Side(s)).(*linkEnd)
			if !ok || e.id != linkID || outlets != nil && !slices.Contains(outlets, e.payload.o) {
				continue
			}
			c.Lossy.Store(true)
			t.fault(c.ID)
		}
	}
}
