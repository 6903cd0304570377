package http

import (
	"net/http"
	"strings"
)

// Binding is one API that a listener can host.
type Binding struct {
	Name    string   // such as edge-client, as configuration files name it
	Prefix  string   // every path below it belongs to the binding
	Exact   []string // further paths
	Also    []string // further prefixes
	Default bool     // takes the requests that no binding accepts
	Handler http.Handler
}

// accepts reports whether the path belongs to the binding.
func (b *Binding) accepts(path string) bool {
	if strings.HasPrefix(path, b.Prefix) {
		return true
	}
	for _, p := range b.Also {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	for _, e := range b.Exact {
		if path == e {
			return true
		}
	}
	return false
}

// Listener returns the handler of one listener that hosts the given bindings:
// the first that accepts the path takes the request, else the default one, else
// the last.
func Listener(bindings ...Binding) http.Handler {
	if len(bindings) == 0 {
		return http.NotFoundHandler()
	}
	fallback := bindings[len(bindings)-1].Handler
	for _, b := range bindings {
		if b.Default {
			fallback = b.Handler
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range bindings {
			if bindings[i].accepts(r.URL.Path) {
				bindings[i].Handler.ServeHTTP(w, r)
				return
			}
		}
		fallback.ServeHTTP(w, r)
	})
}

// rootPaths are answered by both edge APIs outside of their base path.
func rootPaths() []string { return []string{"/.well-known/est/cacerts", "/version", "/"} }

// clientPath applies the aliases of the client API: paths relative to the root
// and the legacy base path /edge/v1.
func clientPath(base, path string) string {
	if path == "/" || path == "/version" {
		return base + "/version"
	}
	if path == "/.well-known/est/cacerts" {
		return base + path
	}
	if !strings.HasPrefix(path, "/edge") && !strings.HasPrefix(path, "/fabric") && !strings.HasPrefix(path, "/.well-known") {
		path = base + path
	}
	if !strings.HasPrefix(path, base) {
		path = strings.Replace(path, "/edge/v1", base, 1)
	}
	return path
}

// managementPath applies the aliases of the management API.
func managementPath(base, path string) string {
	switch path {
	case "/", "/version":
		return base + "/version"
	case "/.well-known/est/cacerts":
		return base + path
	}
	return path
}
