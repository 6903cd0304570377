package network

import (
	"testing"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestLinkThatIsBackAtOnce: a link that is lost and made again under its id
// before its loss is told, so that one report says both, has lost its circuits
// all the same. They get their path anew.
func TestLinkThatIsBackAtOnce(t *testing.T) {
	inSim(t, 2, func(t *testing.T, s *sim) {
		s.bed.terminator("tr2", "r2", nil)
		s.join("r1", "r2")
		id, _ := s.routers["r1"].dial()
		path := s.net.Circuit(id).PathNumber
		again := s.links["l1"].report()
		gone := &ctrl.LinkGone{Id: again.Id, Iteration: again.Iteration, Reason: "test"}
		again.Iteration++
		for _, r := range []string{"r1", "r2"} {
			s.net.LinkChanges(r, &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{gone}, Put: []*ctrl.Link{again}})
		}
		time.Sleep(time.Second)
		s.want("over the same link again", id, "r1", "r2")
		if now := s.net.Circuit(id).PathNumber; now <= path {
			t.Errorf("the routers were not told: path %d, before %d", now, path)
		}
	})
}
