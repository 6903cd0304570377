package field

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cPage is how many elements of a list the C SDK asks for at once.
const cPage = 25

// cService is what the C SDK keeps of a service.
type cService struct {
	id, name   string
	encrypted  bool
	dial, bind bool
	configs    map[string]any
}

// cClient is the C SDK from its start on: an enrolled identity with the order of
// requests of its life.
type cClient struct {
	t    testing.TB
	net  *network
	me   *enrolled
	name string
	path string // of the client API

	token      string
	lastChange string
	services   map[string]cService
	routers    map[string]string // tls addresses by name
	sessions   map[string]string // tokens by service and type
	links      map[string]*link  // by router name
}

// newC enrols an identity with the roles and starts the SDK for it.
func newC(t testing.TB, n *network, name string, roles ...string) *cClient {
	t.Helper()
	name = unique(name)
	_, token := n.admin.invite(t, name, roles...)
	c := &cClient{t: t, net: n, me: enrolC(t, token), name: name, sessions: make(map[string]string), links: make(map[string]*link)}
	c.start()
	return c
}

// burst opens one connection with the client certificate.
func (c *cClient) burst() *burst {
	b := openBurst(c.t, c.me.api, &c.me.cert, trusting(c.me.ca))
	b.token = c.token
	return b
}

// start is everything until the services are known.
func (c *cClient) start() {
	c.t.Helper()
	c.version("/version")
	c.authenticate()
	c.introduce()
	c.poll()
	if c.routers == nil || c.services == nil {
		c.t.Fatal("no routers or no services after the start")
	}
}

// version asks, without a token, what the controller can do.
func (c *cClient) version(path string) {
	c.t.Helper()
	b := openBurst(c.t, c.me.api, &c.me.cert, trusting(c.me.ca))
	defer b.end()
	d := b.get(path).at("data")
	c.path = d.at("apiVersions", "edge", "v1", "path").text()
	abilities := d.at("capabilities").texts()
	if _, oidc := d.at("apiVersions").maybe("edge-oidc"); oidc && slices.Contains(abilities, "OIDC_AUTH") {
		c.t.Fatal("the controller announces OIDC: this is the legacy start")
	}
	for _, m := range []string{"version", "revision", "buildDate"} {
		d.at(m).text()
	}
	signers := b.get(c.path + "/external-jwt-signers?limit=25&offset=0") // other tests of this network may have made some
	signers.page(cPage, 0, len(signers.at("data").list()))
}

// authenticate is the legacy login.
func (c *cClient) authenticate() {
	c.t.Helper()
	b := c.burst()
	b.token = ""
	defer b.end()
	d := b.json("POST", c.path+"/authenticate?method=cert", map[string]any{
		"sdkInfo":     map[string]any{"type": "ziti-sdk-c", "version": "1.18.7", "revision": "0123456", "branch": "main", "appId": "field", "appVersion": "1"},
		"envInfo":     map[string]any{"os": "Linux", "osRelease": "6.1", "osVersion": "#1", "arch": "x86_64", "hostname": "field", "domain": ""},
		"configTypes": []string{"all"},
	}, 200)
	c.token = c.session(d)
}

// session checks an API session and returns its token.
func (c *cClient) session(d doc) string {
	c.t.Helper()
	s := d.at("data")
	s.at("id")
	s.at("expiresAt")
	s.at("expirationSeconds").want(1800)
	s.at("identityId").want(c.me.id)
	s.at("identity", "name").want(c.name)
	if q := s.at("authQueries").list(); len(q) != 0 {
		c.t.Errorf("queries %v for a complete session", q)
	}
	return s.at("token").text()
}

// introduce is the third connection.
func (c *cClient) introduce() {
	c.t.Helper()
	b := c.burst()
	defer b.end()
	for range 3 {
		c.controllers(b)
	}
	readBundle(c.t, b.send("GET", c.path+"/.well-known/est/cacerts", "application/pkcs7-mime", "", nil))
	c.identity(b)
	if got := c.session(b.get(c.path + "/current-api-session")); got != c.token {
		c.t.Errorf("the session shows the token %s, want %s", got, c.token)
	}
}

func (c *cClient) controllers(b *burst) {
	c.t.Helper()
	list := b.get(c.path+"/controllers?limit=25&offset=0").page(cPage, 0, 1)
	for _, one := range list {
		one.at("id")
		one.at("name")
		for _, a := range one.at("apiAddresses", "edge-client").list() {
			if u := a.at("url").text(); !strings.HasPrefix(u, "https://") || a.at("version").text() != "v1" {
				c.t.Errorf("API address %v", a.value)
			}
		}
	}
}

func (c *cClient) identity(b *burst) {
	c.t.Helper()
	d := b.get(c.path + "/current-identity").at("data")
	d.at("id").want(c.me.id)
	d.at("name").want(c.name)
	d.at("appData").object()
	d.at("roleAttributes").list()
}

// poll is the fourth connection, and of a tunneler one every ten seconds. It
// reports whether there were changes.
func (c *cClient) poll() bool {
	c.t.Helper()
	b := c.burst()
	defer b.end()
	c.identity(b)
	c.routers = make(map[string]string)
	for _, r := range c.pages(b, "/current-identity/edge-routers?") {
		tls, ok := r.at("supportedProtocols").maybe("tls")
		if !ok {
			continue // never was online: no channel to it
		}
		address := tls.text()
		if !strings.HasPrefix(address, "tls://") {
			c.t.Fatalf("router address %q", address)
		}
		c.routers[r.at("name").text()] = strings.TrimPrefix(address, "tls://")
	}
	c.controllers(b)
	at := b.get(c.path+"/current-api-session/service-updates").at("data", "lastChangeAt").text()
	if at == c.lastChange {
		return false
	}
	c.lastChange = at
	c.services = make(map[string]cService)
	for _, s := range c.pages(b, "/services?configTypes=all&") {
		one := c.service(s)
		c.services[one.name] = one
	}
	return true
}

// pages reads a list until the server says that nothing is left; the client does
// not count itself.
func (c *cClient) pages(b *burst, path string) []doc {
	c.t.Helper()
	var all []doc
	for offset := 0; ; offset += cPage {
		d := b.get(c.path + path + "limit=25&offset=" + strconv.Itoa(offset))
		all = append(all, d.at("data").list()...)
		p := d.at("meta", "pagination")
		if p.at("totalCount").number() <= p.at("offset").number()+p.at("limit").number() {
			return all
		}
	}
}

// service takes what the client takes of a service.
func (c *cClient) service(s doc) cService {
	c.t.Helper()
	may := s.at("permissions").texts()
	one := cService{id: s.at("id").text(), name: s.at("name").text(), encrypted: s.at("encryptionRequired").flag(),
		dial: slices.Contains(may, "Dial"), bind: slices.Contains(may, "Bind"), configs: s.at("config").object()}
	queries := s.at("postureQueries").list()
	if len(queries) == 0 {
		c.t.Errorf("%s: no entry in postureQueries although policies give %v", one.name, may)
	}
	for _, q := range queries {
		q.at("policyId")
		q.at("policyType")
		q.at("isPassing").want(true)
		q.at("postureQueries").list()
	}
	return one
}

// lookup finds a service by name as for a name that is not in the list.
func (c *cClient) lookup(name string) (cService, bool) {
	c.t.Helper()
	b := c.burst()
	defer b.end()
	list := b.get(c.path + "/services?filter=" + url.QueryEscape(`name="`+name+`"`) + "&configTypes=all").at("data").list()
	if len(list) != 1 {
		return cService{}, false
	}
	return c.service(list[0]), true
}

// serviceToken asks for a service session, once per service and type.
func (c *cClient) serviceToken(s cService, kind string) string {
	c.t.Helper()
	key := s.id + kind
	if t, ok := c.sessions[key]; ok {
		return t
	}
	b := c.burst()
	defer b.end()
	if kind == "Bind" {
		c.known(b.get(c.path+"/services/"+s.id+"/edge-routers?offset=0&limit=100").at("data", "edgeRouters"))
	}
	d := b.json("POST", c.path+"/sessions", map[string]any{"serviceId": s.id, "type": kind}, 201).at("data")
	d.at("id")
	d.at("type").want(kind)
	c.known(d.at("edgeRouters"))
	c.sessions[key] = d.at("token").text()
	return c.sessions[key]
}

// known wants routers that the client has a channel to, by their names. Those
// that never were online are in these lists, too, without an address.
func (c *cClient) known(list doc) {
	c.t.Helper()
	usable := 0
	for _, r := range list.list() {
		address, ok := r.at("supportedProtocols").maybe("tls")
		if !ok {
			continue
		}
		usable++
		if c.routers[r.at("name").text()] != strings.TrimPrefix(address.text(), "tls://") {
			c.t.Errorf("the router %v is none of %v", r.value, c.routers)
		}
	}
	if usable == 0 {
		c.t.Fatalf("%s: no router to use", list.path)
	}
}

// must returns a service that the client was told about.
func (c *cClient) must(name string) cService {
	c.t.Helper()
	if s, ok := c.services[name]; ok {
		return s
	}
	s, ok := c.lookup(name)
	if !ok {
		c.t.Fatalf("%s: no service %s", c.name, name)
	}
	return s
}
