package sdk

import (
	"context"
	"net/http"
	"net/url"
)

// edgeClientAPI is the name of the client API among the addresses of a controller.
const edgeClientAPI = "edge-client"

// learnControllers asks for the members of the cluster, so that the client
// finds another one when those that its identity names are gone. Certificates
// of all of them are verified like that of the first.
func (c *Client) learnControllers(ctx context.Context) {
	list, _, err := call[[]struct {
		APIAddresses map[string][]struct {
			URL string `json:"url"`
		} `json:"apiAddresses"`
	}](ctx, c, request{method: http.MethodGet, path: "/controllers?limit=100"})
	if err != nil {
		c.log.Debug("list of controllers", "error", err)
		return
	}
	var found []string
	for _, m := range *list {
		for _, a := range m.APIAddresses[edgeClientAPI] {
			if u, err := url.Parse(a.URL); err == nil && u.Scheme == "https" && u.Host != "" {
				found = append(found, a.URL)
			}
		}
	}
	c.rest.learn(found)
}
