package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// routerKeys says for every key of a router that has an effect which tests show
// it: those of the part that does the work, and where the part is another
// package, one that shows that the value gets there. A * stands for all keys
// below; the longest line that fits a key is its.
var routerKeys = map[string]string{
	"v":                               "conf.TestLoadErrors",
	"identity.*":                      "pki.TestIdentityForms pki.TestAlternativesByServerName pki.TestServerCertificateDefaultsToTheClients pki.TestNetworkFilesAndIdentity pki.TestTLSBothWays app.TestRenewRouterWithoutARestart app.TestRouterThatIsNotEnrolled",
	"ctrl.endpoint":                   "conf.TestGolden uplink.TestEndpoints",
	"ctrl.endpoints":                  "conf.TestGolden uplink.TestEndpoints",
	"ctrl.endpointsFile":              "uplink.TestEndpoints uplink.TestListsOfControllers app.TestEnrollAndRunARouter",
	"ctrl.bind":                       "app.TestLocalAddresses app.TestDialFromAnAddress",
	"ctrl.defaultRequestTimeout":      "app.TestRequestTimeout",
	"ctrl.startupTimeout":             "app.TestRouterWithoutControllerAndSnapshotFails",
	"ctrl.options.*":                  "app.TestKeysReachTheUplink channel.TestSlowHelloIsClosed",
	"ctrl.heartbeats.*":               "app.TestKeysReachTheUplink control.TestPulseSeesASlowController control.TestPulseEndsASilentSession",
	"ctrl.rateLimiter.*":              "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"csr.*":                           "app.TestNamesOfRequests app.TestRenewedNames",
	"edge.csr.*":                      "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.db":                         "app.TestEnrollAndRunARouter app.TestRouterRestart uplink.TestSnapshot",
	"edge.dbSaveIntervalSeconds":      "app.TestKeysReachTheUplink uplink.TestSnapshot",
	"edge.heartbeatIntervalSeconds":   "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.sessionValidateChunkSize":   "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.sessionValidateMinInterval": "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.sessionValidateMaxInterval": "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.apiProxy.*":                 "app.TestAPIProxy",
	"listeners[].*":                   "app.TestServicesWithoutAnSDK app.TestBrowserListener app.TestOnRampWithTLS app.TestEnrollAndRunARouter",
	"listeners[].options.*":           "app.TestHelloWaitsForANewCertificate channel.TestSlowHelloIsClosed app.TestServicesWithoutAnSDK",
	"listeners[].options.lookupSessionTimeout":   "edge.TestServiceSessionWaitsForItsKey edge.TestNoPatienceForPolicies app.TestKeysReachTheUplink",
	"listeners[].options.mtu":                    "flow.TestMessagesAreCutIntoChunks flow.TestWriteIsCut app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortal*":              "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.rxBufferSize":           "flow.TestReceiveBufferOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.retx*":                  "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.maxRttScale":            "flow.TestRoundTripLimit app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txQueueSize":            "ramp.TestGather app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.maxCloseWaitMs":         "flow.TestLingerOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.randomDrops":            "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.drop1InN":               "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.mtu":                      "flow.TestMessagesAreCutIntoChunks flow.TestWriteIsCut app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortal*":                "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.rxBufferSize":             "flow.TestReceiveBufferOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.retx*":                    "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.maxRttScale":              "flow.TestRoundTripLimit app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txQueueSize":              "ramp.TestGather app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.maxCloseWaitMs":           "flow.TestLingerOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.randomDrops":              "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.drop1InN":                 "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.outQueueSize":           "app.TestDataOptionsReachFlow channel.TestQueueBoundedInMessages",
	"listeners[].options.maxQueuedConnects":      "app.TestDataOptionsReachFlow channel.TestSilentConnectionsDoNotShutOutOthers",
	"listeners[].options.maxOutstandingConnects": "app.TestDataOptionsReachFlow channel.TestSilentConnectionsDoNotShutOutOthers",
	"dialers[].*":                                "app.TestWithoutDialers app.TestServicesWithoutAnSDK egress.TestSilentServer egress.TestDialerThatNeverBegins",
	"link.listeners[].*":                         "app.TestRoutersLink link.TestPeerChanges link.TestHostileHello",
	"link.dialers[].*":                           "app.TestRoutersLink app.TestDialFromAnAddress link.TestWithoutSplit link.TestPausesGrow link.TestBackoff link.TestLinkOfOneDialer",
	"link.heartbeats.*":                          "link.TestSilentDeath link.TestShortSilence",
	"link.payloadSenderQueueSize":                "channel.TestQueueBoundedInMessages",
	"link.ackSenderQueueSize":                    "channel.TestQueueBoundedInMessages",
	"forwarder.linkDial*":                        "link.TestFullQueue",
	"forwarder.xgressDial*":                      "app.TestEgressBounds",
	"forwarder.rateLimited*":                     "app.TestKeysReachTheUplink uplink.TestQueueOfTerminators uplink.TestWorkersBoundMessagesUnderWay",
	"forwarder.faultTxInterval":                  "app.TestKeysReachTheUplink forward.TestMeshReroutes",
	"forwarder.idle*":                            "app.TestIdleCircuitsEnd forward.TestIdleCircuits",
	"forwarder.xgressCloseCheck*":                "forward.TestMeshCarriesAndEnds",
	"metrics.enableDataDelayMetric":              "edge.TestDataDelay app.TestDataDelayIsMeasured",
	"metrics.*":                                  "app.TestRouterTellsWhatItSees report.TestUsageAndRates report.TestYoungIntervalsWait report.TestReportsWaitForAController report.TestEndedCircuits",
	"healthChecks.*":                             "app.TestRouterHealthChecks health.TestControllerPing health.TestRunRepeatsAndEnds health.TestDocument",
	"connectEvents.*":                            "app.TestRouterTellsWhatItSees report.TestConnectedIdentities",
	"interfaceDiscovery.*":                       "app.TestRouterTellsWhatItSees report.TestInterfaces",
	"web[].*":                                    "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"transport.wss.*":                            "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.proxy.*":                          "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"proxy.*":                                    "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"tls.handshakeTimeout":                       "channel.TestHandshakeTimeout",
	"trace.path":                                 "app.TestRouterTrace cli.TestPrintTrace",
	"profile.*":                                  "app.TestProfiles",
	"enableDebugOps":                             "app.TestDebugOperations",
}

// TestEveryRouterKeyIsProven finds keys of the schema without a row, rows
// without a key, and rows that name a test that does not exist.
func TestEveryRouterKeyIsProven(t *testing.T) {
	tests := make(map[string]bool)
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("../*/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, file := range append(files, below...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Abs(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			tests[filepath.Base(dir)+"."+m[1]] = true
		}
	}
	for row, proofs := range routerKeys {
		for proof := range strings.FieldsSeq(proofs) {
			if !tests[proof] {
				t.Errorf("%s: there is no test %s", row, proof)
			}
		}
	}
	used := make(map[string]bool)
	for _, key := range activeRouterKeys() {
		row := rowOf(key)
		if row == "" {
			t.Errorf("%s has an effect, and no test shows it", key)
		}
		used[row] = true
	}
	for row := range routerKeys {
		if !used[row] {
			t.Errorf("%s is no key with an effect", row)
		}
	}
}

// activeRouterKeys lists the keys that the reference calls active, sections
// left out.
func activeRouterKeys() []string {
	var keys []string
	for line := range strings.Lines(conf.ReferenceRouter()) {
		cells := strings.Split(line, " | ")
		if len(cells) < 5 || cells[3] != "active" || strings.HasPrefix(cells[1], "a section") || strings.HasPrefix(cells[1], "a list of sections") {
			continue
		}
		keys = append(keys, strings.Trim(strings.TrimPrefix(cells[0], "| "), "`"))
	}
	return keys
}

// rowOf returns the longest row that fits a key.
func rowOf(key string) string {
	best := ""
	for row := range routerKeys {
		prefix, open := strings.CutSuffix(row, "*")
		if (row == key || open && strings.HasPrefix(key, prefix)) && len(row) > len(best) {
			best = row
		}
	}
	return best
}

// TestKeysReachTheUplink reads a configuration and looks at what the uplink is
// made with.
func TestKeysReachTheUplink(t *testing.T) {
	n := newTestNetwork(t)
	text := `
v: 3
identity: {cert: a, key: b, ca: c}
ctrl:
  endpoints: ["tls:one:1", "tls:two:2"]
  options: {connectTimeoutMs: 1234, writeTimeout: 7s, outQueueSize: 300}
  heartbeats: {sendInterval: 11s, checkInterval: 2s, closeUnresponsiveTimeout: 31s, unresponsiveAfter: 6s}
  rateLimiter: {minSize: 6, maxSize: 66, timeout: 12s, successThreshold: 0.8, increaseFactor: 1.1, decreaseFactor: 0.7, increaseCheckInterval: 3, decreaseCheckInterval: 4}
forwarder: {rateLimitedQueueLength: 17, rateLimitedWorkerCount: 3, faultTxInterval: 222}
edge: {db: some.file, dbSaveIntervalSeconds: 44, heartbeatIntervalSeconds: 33, sessionValidateChunkSize: 77, sessionValidateMinInterval: 1s, sessionValidateMaxInterval: 2s}
listeners: [{binding: edge, address: "tls:0.0.0.0:1", options: {advertise: "localhost:1", lookupSessionTimeout: 3s, lookupApiSessionTimeout: 4s}}]
`
	cfg, _, err := conf.ParseRouter("r.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Router{o: RouterOptions{Config: cfg, Log: n.router.o.Log}, identity: n.router.identity}
	u := r.uplinkConfig(nil, nil)
	if !slices.Equal(u.Endpoints, []string{"tls:one:1", "tls:two:2"}) || u.DialTimeout != 1234*time.Millisecond || u.WriteTimeout != 7*time.Second || u.Queue != 300 {
		t.Errorf("endpoints and options: %v %v %v %v", u.Endpoints, u.DialTimeout, u.WriteTimeout, u.Queue)
	}
	if h := u.Heartbeats; h.Interval != 11*time.Second || h.Check != 2*time.Second || h.Close != 31*time.Second || h.Unresponsive != 6*time.Second {
		t.Errorf("heartbeats %+v", h)
	}
	want := limit.WindowConfig{Min: 6, Max: 66, Success: 0.8, Increase: 1.1, Decrease: 0.7, IncreaseEvery: 3, DecreaseEvery: 4, Timeout: 12 * time.Second}
	if l := u.Terminators; l.Window == nil || *l.Window != want || l.Queue != 17 || l.Workers != 3 {
		t.Errorf("limits of terminators %+v, %+v", l, l.Window)
	}
	if u.FaultInterval != 222*time.Millisecond || u.SaveInterval != 44*time.Second || u.SnapshotFile != "some.file" {
		t.Errorf("faults every %v, snapshot every %v to %s", u.FaultInterval, u.SaveInterval, u.SnapshotFile)
	}
	if want := (uplink.SessionReports{Interval: 33 * time.Second, Chunk: 77, MinPause: time.Second, MaxPause: 2 * time.Second}); u.Sessions != want {
		t.Errorf("reports of sessions %+v", u.Sessions)
	}
	if r.serviceTimeout() != 3*time.Second || r.lookupTimeout() != 4*time.Second {
		t.Errorf("patience %v and %v", r.serviceTimeout(), r.lookupTimeout())
	}
	cfg.Ctrl.RateLimiter.Enabled = false
	if r.uplinkConfig(nil, nil).Terminators.Window != nil {
		t.Error("a limit although it is not enabled")
	}
}

// TestNamesOfRequests: the root section wins over that of edge, and the names
// come from where the configuration has them.
func TestNamesOfRequests(t *testing.T) {
	own := conf.CSR{Country: "US", Province: "NC", Locality: "Charlotte", Organization: "O", OrganizationalUnit: "OU",
		SANs: conf.SANs{DNS: []string{"edge.example"}, IP: []string{"192.0.2.1"}}}
	cfg := &conf.Router{Edge: &conf.RouterEdge{CSR: &own}}
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	request := func() (subject, names string) {
		text, err := pki.NewCSR(key, subjectOf(cfg.CSR(), "r1"), slices.Concat(cfg.CSR().SANs.DNS, cfg.CSR().SANs.IP)...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pki.ParseCSR([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		names = strings.Join(r.DNSNames, " ")
		for _, ip := range r.IPAddresses {
			names += " " + ip.String()
		}
		return r.Subject.String(), names
	}
	if subject, names := request(); subject != "CN=r1,OU=OU,O=O,L=Charlotte,ST=NC,C=US" || names != "edge.example 192.0.2.1" {
		t.Errorf("%s, %s", subject, names)
	}
	cfg.RootCSR = &conf.CSR{SANs: conf.SANs{DNS: []string{"root.example"}}}
	if _, names := request(); names != "root.example" {
		t.Errorf("the root section does not win: %s", names)
	}
}

// TestRequestTimeout: a controller that does not answer within the time fails
// the dial.
func TestRequestTimeout(t *testing.T) {
	n := newTestNetwork(t)
	n.service("echo", false)
	host, guest := n.identity("host"), n.identity("guest")
	n.restartWith(func(c *conf.Router) { c.Ctrl.DefaultRequestTimeout = time.Nanosecond })
	n.echo(host, "echo")
	if c, err := guest.Dial(testContext(t), "echo"); err == nil {
		c.Close()
		t.Error("a request took no time")
	}
}

// slowDialer dials until the test lets it.
type slowDialer struct{ begun, end chan struct{} }

func (d *slowDialer) Dial(ctx context.Context, _ *forward.Circuit, _ *ctrl.Egress) (map[uint32][]byte, error) {
	d.begun <- struct{}{}
	select {
	case <-d.end:
	case <-ctx.Done():
	}
	return nil, nil
}

// TestEgressBounds: dials at once, dials that wait, and the wait before a dial.
func TestEgressBounds(t *testing.T) {
	d := &slowDialer{begun: make(chan struct{}, 10), end: make(chan struct{})}
	bounded := newBoundedDialer(d, conf.Forwarder{XgressDialWorkerCount: 2, XgressDialQueueLength: 1, XgressDialDwellTime: time.Millisecond})
	results := make(chan error, 10)
	for range 4 {
		go func() {
			_, err := bounded.Dial(t.Context(), nil, nil)
			results <- err
		}()
	}
	var full *forward.DialError
	if err := <-results; !errors.As(err, &full) || full.Cause != ctrl.Cause_RESOURCES_NOT_AVAILABLE {
		t.Errorf("the fourth dial, with two workers and room for one more: %v", err)
	}
	<-d.begun
	<-d.begun
	select {
	case <-d.begun:
		t.Error("three dials at once with two workers")
	default:
	}
	close(d.end)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	dwelling := newBoundedDialer(d, conf.Forwarder{XgressDialWorkerCount: 1, XgressDialDwellTime: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dwelling.Dial(ctx, nil, nil); err == nil {
		t.Error("no wait before the dial")
	}
}
