package blackbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/weftnet/weft/api/openapi/conform"
)

var checker = sync.OnceValues(conform.New)

// conforming lets answers through that are what the OpenAPI documents say; any
// other becomes an error of the request.
type conforming struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c conforming) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil || res.StatusCode == http.StatusSwitchingProtocols {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	if err = firstOf(err, res.Body.Close()); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	check, err := checker()
	if err != nil {
		return nil, err
	}
	err = check.Check(conform.Answer{Method: r.Method, Path: r.URL.Path, Status: res.StatusCode, ContentType: res.Header.Get("Content-Type"), Body: body})
	if err != nil {
		return nil, fmt.Errorf("not as the OpenAPI document says: %w", err)
	}
	return res, nil
}

// CloseIdleConnections lets http.Client close what waits to be used again.
func (c conforming) CloseIdleConnections() {
	(&http.Client{Transport: c.RoundTripper}).CloseIdleConnections()
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
