package uplink

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/wire/ctrl"
)

// endpointsFile is the layout of the endpoints file.
type endpointsFile struct {
	Controllers []struct {
		ID        string `yaml:"id"`
		Endpoints []struct {
			Address string   `yaml:"address"`
			Groups  []string `yaml:"groups"`
		} `yaml:"endpoints"`
	} `yaml:"controllers"`
	Endpoints []string `yaml:"endpoints"`
}

// endpoints returns the controllers to call, host:port each: those of the file
// if it names any, else those of the configuration.
func (u *Uplink) endpoints() ([]string, error) {
	list := u.cfg.Endpoints
	if u.cfg.EndpointsFile != "" {
		b, err := os.ReadFile(u.cfg.EndpointsFile)
		if err == nil {
			stored, perr := parseEndpoints(b)
			if perr != nil {
				u.cfg.Log.Warn("endpoints file not used", "file", u.cfg.EndpointsFile, "error", perr)
			} else if len(stored) > 0 {
				list = stored
			}
		} else if !errors.Is(err, os.ErrNotExist) {
			u.cfg.Log.Warn("endpoints file not used", "file", u.cfg.EndpointsFile, "error", err)
		}
	}
	var out []string
	for _, e := range list {
		if a := hostPort(e); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("uplink: no controller endpoint is configured: set ctrl.endpoint")
	}
	return out, nil
}

func parseEndpoints(b []byte) ([]string, error) {
	var f endpointsFile
	if err := yaml.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("uplink: endpoints file: %w", err)
	}
	var out []string
	for _, c := range f.Controllers {
		for _, e := range c.Endpoints {
			if c.ID != "" {
				out = append(out, e.Address)
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return f.Endpoints, nil
}

// hostPort takes the scheme off an address: tls:host:port or tls://host:port.
func hostPort(address string) string {
	address = strings.TrimSpace(address)
	if rest, ok := strings.CutPrefix(address, "tls:"); ok {
		address = strings.TrimPrefix(rest, "//")
	}
	return address
}

// takeEndpoints takes news of controllers.
func (u *Uplink) takeEndpoints(m *ctrl.Endpoints) {
	if u.cfg.OnEndpoints != nil {
		u.cfg.OnEndpoints(m)
	}
}
