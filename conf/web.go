package conf

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// WebServer is one HTTPS server.
type WebServer struct {
	Name       string      `conf:"name" required:"true" doc:"name in the log"`
	BindPoints []BindPoint `conf:"bindPoints" required:"true" doc:"where it listens"`
	APIs       []WebAPI    `conf:"apis" required:"true" doc:"what it serves"`
	Identity   *Identity   `conf:"identity" doc:"key material; default that of the process"`
	Options    WebOptions  `conf:"options" doc:"time-outs and TLS versions"`
}

// BindPoint is one listening address and how others reach it.
type BindPoint struct {
	Interface  HostPort     `conf:"interface" doc:"host:port to listen on"`
	Address    HostPort     `conf:"address" doc:"host:port that clients use"`
	NewAddress HostPort     `conf:"newAddress" doc:"host:port that clients should move to: every response names it in the header ziti-ctrl-address"`
	Identity   *OverlayBind `conf:"identity" doc:"serve over the network itself instead, as a host of a service; such a bind point is not among the addresses that clients are told"`
}

// OverlayBind serves an API through a service of the overlay.
type OverlayBind struct {
	File                          string         `conf:"file" doc:"identity file"`
	Env                           string         `conf:"env" doc:"variable that holds a base64 identity"`
	Service                       string         `conf:"service" required:"true" doc:"service to host"`
	TLSClientAuthenticationPolicy string         `conf:"tlsClientAuthenticationPolicy" default:"RequestClientCert" doc:"NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven or RequireAndVerifyClientCert, in any case"`
	ListenOptions                 OverlayOptions `conf:"listenOptions" doc:"how to host"`
}

// OverlayOptions say how an API hosts its service.
type OverlayOptions struct {
	BindUsingEdgeIdentity bool `conf:"bindUsingEdgeIdentity" default:"false" doc:"host under the name of the identity, so that dialers can ask for it"`
}

// WebAPI is one API of a server.
type WebAPI struct {
	Binding string     `conf:"binding" required:"true" doc:"name of the API"`
	Options APIOptions `conf:"options" doc:"options of the API"`
}

// APIOptions are the options of all APIs; each reads its own.
type APIOptions struct {
	Secret            string  `conf:"secret" later:"the OIDC provider" doc:"edge-oidc: key of its cookies"`
	RedirectURIs      Strings `conf:"redirectURIs" later:"the OIDC provider" doc:"edge-oidc: allowed redirects after login"`
	PostLogoutURIs    Strings `conf:"postLogoutURIs" later:"the OIDC provider" doc:"edge-oidc: allowed redirects after logout"`
	ScrapeCert        string  `conf:"scrapeCert" doc:"metrics: file of the one client certificate that may read"`
	IncludeTimestamps bool    `conf:"includeTimestamps" default:"false" doc:"metrics: add the time of the report to every value"`
	Path              string  `conf:"path" doc:"spa: path below /, without slashes; of zac it is zac"`
	Location          string  `conf:"location" doc:"spa, zac: directory of the pages"`
	IndexFile         string  `conf:"indexFile" default:"index.html" doc:"spa, zac: file for paths that are no file of the directory"`
}

// WebOptions are time-outs and TLS versions of a server.
type WebOptions struct {
	ReadTimeout   time.Duration `conf:"readTimeout" default:"5s" min:"1ms" doc:"time to read a request"`
	IdleTimeout   time.Duration `conf:"idleTimeout" default:"5s" min:"1ms" doc:"time between requests"`
	WriteTimeout  time.Duration `conf:"writeTimeout" default:"10s" min:"1ms" doc:"time to answer"`
	MinTLSVersion string        `conf:"minTLSVersion" default:"TLS1.2" oneof:"TLS1.0|TLS1.1|TLS1.2|TLS1.3" doc:"oldest TLS version"`
	MaxTLSVersion string        `conf:"maxTLSVersion" default:"TLS1.3" oneof:"TLS1.0|TLS1.1|TLS1.2|TLS1.3" doc:"newest TLS version"`
}

func (o *WebOptions) check(c *Checker, path string) {
	if o.MaxTLSVersion < o.MinTLSVersion {
		c.Refuse(path+".maxTLSVersion", "is older than minTLSVersion", "raise it or lower minTLSVersion")
	}
}

func (s *WebServer) check(c *Checker, path string) {
	if c.Has(path+".bindPoints") && len(s.BindPoints) == 0 {
		c.Refuse(path+".bindPoints", "is empty", "add interface and address")
	}
	if c.Has(path+".apis") && len(s.APIs) == 0 {
		c.Refuse(path+".apis", "is empty", "add a binding")
	}
	s.checkPaths(c, path)
}

func (b *BindPoint) check(c *Checker, path string) {
	if b.Identity != nil {
		return
	}
	b.needsPort(c, path+".interface", b.Interface)
	b.needsPort(c, path+".address", b.Address)
}

func (b *BindPoint) needsPort(c *Checker, path string, v HostPort) {
	switch {
	case !c.Has(path):
		c.Refuse(path, "is missing", "add it as host:port")
	case v.Port == 0:
		c.Refuse(path, "has no port", "use a port from 1 to 65535")
	}
}

func (o *OverlayBind) check(c *Checker, path string) {
	if (o.File == "") == (o.Env == "") {
		c.Refuse(path, "needs either file or env", "name the identity file")
	}
	if policy := strings.ToLower(o.TLSClientAuthenticationPolicy); !slices.Contains(clientPolicies, policy) {
		c.Refuse(path+".tlsClientAuthenticationPolicy", fmt.Sprintf("no policy is called %q", o.TLSClientAuthenticationPolicy), "use one of NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert")
	}
}

// bindings are the APIs of a kind of process; the value says what is not
// active yet, empty for those that are.
type bindings map[string]string

var controllerAPIs = bindings{
	"edge-client": "", "edge-management": "", "fabric": "", "health-checks": "",
	"edge-oidc": "the OIDC provider", BindingMetrics: "",
	BindingSPA: "", BindingZAC: "",
}

var routerAPIs = bindings{"health-checks": ""}

// BindingMetrics is the API of measurements for Prometheus.
const BindingMetrics = "metrics"

// Bindings of static pages; zac is spa with the path zac.
const (
	BindingSPA = "spa"
	BindingZAC = "zac"
)

var clientPolicies = []string{"noclientcert", "requestclientcert", "requireanyclientcert", "verifyclientcertifgiven", "requireandverifyclientcert"}

// taken are the paths of APIs, which pages cannot have.
var taken = []string{"edge", "fabric", "oidc", "health-checks", "metrics", "version", ".well-known"}

// bindingOptions are the options that bindings read; those that are not here read
// none.
var bindingOptions = map[string][]string{
	"edge-oidc": {"secret", "redirectURIs", "postLogoutURIs"},
	"metrics":   {"scrapeCert", "includeTimestamps"},
	BindingSPA:  {"path", "location", "indexFile"}, BindingZAC: {"path", "location", "indexFile"},
}

// checkOptions names the options that are those of another binding.
func (a *WebAPI) checkOptions(c *Checker, path string) {
	for _, f := range fieldsOf(reflect.TypeFor[APIOptions]()) {
		at := path + ".options." + f.name
		if c.Has(at) && !slices.Contains(bindingOptions[a.Binding], f.name) {
			c.Warn(at, "has no effect with the binding "+a.Binding, "remove it")
		}
	}
}

func (a *WebAPI) check(c *Checker, path string) {
	a.checkOptions(c, path)
	o := &a.Options
	switch {
	case a.Binding == BindingZAC:
		if c.Has(path+".options.path") && o.Path != BindingZAC {
			c.Warn(path+".options.path", "of zac is always zac", "use the binding spa for another path")
		}
		o.Path = BindingZAC
	case a.Binding != BindingSPA:
		return
	case o.Path == "":
		c.Refuse(path+".options.path", "is missing", "add path: the name below / at which the pages are")
	case strings.Contains(o.Path, "/"):
		c.Refuse(path+".options.path", "contains a slash", "use a single name")
	case slices.Contains(taken, o.Path):
		c.Refuse(path+".options.path", o.Path+" is the path of an API", "use another name")
	}
	if o.Location == "" {
		c.Refuse(path+".options.location", "is missing", "add location: the directory of the pages")
	}
	if o.IndexFile == "" {
		c.Refuse(path+".options.indexFile", "is empty", "name a file of the directory, or leave the key out")
	}
}

// checkPaths refuses two sets of pages at one path of a server.
func (s *WebServer) checkPaths(c *Checker, path string) {
	seen := make(map[string]bool)
	for i, a := range s.APIs {
		if a.Binding != BindingSPA && a.Binding != BindingZAC {
			continue
		}
		if seen[a.Options.Path] {
			c.Refuse(fmt.Sprintf("%s.apis[%d]", path, i), "the path "+a.Options.Path+" is taken by other pages of this server", "use another path")
		}
		seen[a.Options.Path] = true
	}
}

// checkAPIs holds the bindings of all servers to the known ones.
func checkAPIs(c *Checker, servers []WebServer, known bindings) {
	for i, s := range servers {
		for j, a := range s.APIs {
			c.binding(fmt.Sprintf("web[%d].apis[%d].binding", i, j), a.Binding, known)
		}
	}
}

func (b bindings) names() string {
	names := make([]string, 0, len(b))
	for n := range b {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
