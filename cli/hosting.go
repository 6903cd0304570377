package cli

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// validateHosting finds services that nobody hosts though somebody may.
func (t *tool) validateHosting() *cobra.Command {
	return t.action(action{use: "service-hosting", short: "Show for all services who may host them and who does", aliases: []string{"hosting"},
		long: "The exit code is 1 if a service has no terminator.",
		run: func(c *call, _ []string) error {
			count, err := c.countTerminators()
			if err != nil {
				return err
			}
			w := newListWriter(c, []string{"SERVICE", "MAY-HOST", "TERMINATORS", "STATE"})
			bad := 0
			get := func(ctx context.Context, p *client.ListParams) (*client.Page[client.Service], error) {
				return c.m.ListServices(ctx, &client.ListServicesParams{ListParams: *p})
			}
			for s, err := range client.All(c, client.ListParams{Sort: "name"}, get) {
				if err != nil {
					return err
				}
				e, err := c.hosting(&s, count[s.ID])
				if err != nil {
					return err
				}
				if e.cells[3] != "hosted" {
					bad++
				}
				if err := w.add([]entry{e}); err != nil {
					return err
				}
			}
			if err := w.end(); err != nil || bad == 0 {
				return err
			}
			return &failure{code: "SERVICES_NOT_HOSTED", cause: fmt.Sprintf("%d services have no terminator", bad),
				remedy: "start a host of each, or give it a Bind policy: weft why IDENTITY SERVICE", exit: ExitFailure}
		}})
}

func (c *call) countTerminators() (map[string]int, error) {
	count := map[string]int{}
	for t, err := range client.All(c, client.ListParams{}, c.m.ListTerminators) {
		if err != nil {
			return nil, err
		}
		count[t.ServiceID]++
	}
	return count, nil
}

func (c *call) hosting(s *client.Service, terminators int) (entry, error) {
	page, err := pageOf[object](c, c.m, managementBase+"/services/"+client.Segment(s.ID)+"/identities", &client.ListParams{Limit: 1}, url.Values{"policyType": {"bind"}})
	if err != nil {
		return entry{}, err
	}
	state := "hosted"
	switch {
	case terminators > 0:
	case page.TotalCount == 0:
		state = "nobody may host it"
	default:
		state = "nobody hosts it"
	}
	value := map[string]any{"service": s.Name, "serviceId": s.ID, "mayHost": page.TotalCount, "terminators": terminators, "state": state}
	return entry{id: s.ID, value: value, label: s.Name, cells: []string{s.Name, fmt.Sprint(page.TotalCount), number(terminators), state}}, nil
}
