package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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
// package, one that shows that the value gets there.
var routerKeys = map[string]string{
	"v":                    "conf.TestLoadErrors",
	"identity.cert":        "pki.TestIdentityForms pki.TestNetworkFilesAndIdentity app.TestRenewRouterWithoutARestart",
	"identity.key":         "pki.TestIdentityForms pki.TestNetworkFilesAndIdentity app.TestReEnrollRouter",
	"identity.ca":          "pki.TestIdentityForms pki.TestTLSBothWays app.TestRouterThatIsNotEnrolled",
	"identity.server_cert": "pki.TestServerCertificateDefaultsToTheClients pki.TestTLSBothWays app.TestRenewRouterWithoutARestart",
	"identity.server_key":  "pki.TestIdentityForms pki.TestTLSBothWays",
	"identity.alt_server_certs[].server_cert":         "pki.TestAlternativesByServerName",
	"identity.alt_server_certs[].server_key":          "pki.TestAlternativesByServerName",
	"ctrl.endpoint":                                   "conf.TestGolden uplink.TestEndpoints",
	"ctrl.endpoints":                                  "conf.TestGolden uplink.TestEndpoints",
	"ctrl.listeners[].bind":                           "app.TestControllerCallsTheRouter routers.TestControllerCallsRouters",
	"ctrl.listeners[].advertise":                      "app.TestControllerCallsTheRouter conf.TestCtrlListeners",
	"ctrl.listeners[].groups":                         "routers.TestControllerCallsRouters app.TestControllerCallsTheRouter",
	"ctrl.listeners[].options.maxQueuedConnects":      "conf.TestCtrlListeners channel.TestSilentConnectionsDoNotShutOutOthers",
	"ctrl.listeners[].options.maxOutstandingConnects": "conf.TestCtrlListeners channel.TestSilentConnectionsDoNotShutOutOthers",
	"ctrl.listeners[].options.connectTimeoutMs":       "conf.TestCtrlListeners channel.TestSlowHelloIsClosed",
	"ctrl.bind":                                                       "app.TestLocalAddresses app.TestDialFromAnAddress",
	"ctrl.defaultRequestTimeout":                                      "app.TestRequestTimeout",
	"ctrl.startupTimeout":                                             "app.TestRouterWithoutControllerAndSnapshotFails",
	"ctrl.endpointsFile":                                              "uplink.TestEndpoints uplink.TestListsOfControllers app.TestEnrollAndRunARouter",
	"ctrl.options.outQueueSize":                                       "app.TestKeysReachTheUplink channel.TestQueueBoundedInMessages",
	"ctrl.options.connectTimeoutMs":                                   "app.TestKeysReachTheUplink channel.TestSlowHelloIsClosed",
	"ctrl.options.writeTimeout":                                       "app.TestKeysReachTheUplink channel.TestEagerWriteAfterADeadline",
	"ctrl.heartbeats.sendInterval":                                    "app.TestKeysReachTheUplink control.TestPulseSeesASlowController",
	"ctrl.heartbeats.checkInterval":                                   "app.TestKeysReachTheUplink control.TestPulseSeesASlowController",
	"ctrl.heartbeats.closeUnresponsiveTimeout":                        "app.TestKeysReachTheUplink control.TestPulseEndsASilentSession",
	"ctrl.heartbeats.unresponsiveAfter":                               "app.TestKeysReachTheUplink control.TestPulseSeesASlowController",
	"ctrl.rateLimiter.enabled":                                        "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay",
	"ctrl.rateLimiter.minSize":                                        "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.maxSize":                                        "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.timeout":                                        "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.successThreshold":                               "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.increaseFactor":                                 "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.decreaseFactor":                                 "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.increaseCheckInterval":                          "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"ctrl.rateLimiter.decreaseCheckInterval":                          "app.TestKeysReachTheUplink uplink.TestWindowBoundsTerminatorsUnderWay limit.TestWindowShrinksAndGrows",
	"csr.country":                                                     "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.province":                                                    "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.locality":                                                    "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.organization":                                                "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.organizationalUnit":                                          "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.sans.dns":                                                    "app.TestNamesOfRequests app.TestRenewedNames",
	"csr.sans.ip":                                                     "app.TestNamesOfRequests app.TestRenewedNames",
	"edge.csr.country":                                                "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.province":                                               "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.locality":                                               "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.organization":                                           "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.organizationalUnit":                                     "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.sans.dns":                                               "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.csr.sans.ip":                                                "app.TestNamesOfRequests app.TestEnrollAndRunARouter",
	"edge.db":                                                         "app.TestEnrollAndRunARouter app.TestRouterRestart uplink.TestSnapshot",
	"edge.dbSaveIntervalSeconds":                                      "app.TestKeysReachTheUplink uplink.TestSnapshot",
	"edge.heartbeatIntervalSeconds":                                   "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.apiProxy.listener":                                          "app.TestAPIProxy",
	"edge.apiProxy.upstream":                                          "app.TestAPIProxy",
	"edge.sessionValidateChunkSize":                                   "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.sessionValidateMinInterval":                                 "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"edge.sessionValidateMaxInterval":                                 "uplink.TestSessionsAreToldInParts app.TestKeysReachTheUplink",
	"listeners[].binding":                                             "app.TestServicesWithoutAnSDK app.TestBrowserListener app.TestEnrollAndRunARouter",
	"listeners[].address":                                             "app.TestServicesWithoutAnSDK app.TestBrowserListener app.TestOnRampWithTLS",
	"listeners[].advertise":                                           "conf.TestGolden",
	"listeners[].service":                                             "app.TestServicesWithoutAnSDK ingress.TestStreamBothWays",
	"listeners[].options.outQueueSize":                                "app.TestDataOptionsReachFlow channel.TestQueueBoundedInMessages",
	"listeners[].options.maxQueuedConnects":                           "app.TestDataOptionsReachFlow channel.TestSilentConnectionsDoNotShutOutOthers",
	"listeners[].options.maxOutstandingConnects":                      "app.TestDataOptionsReachFlow channel.TestSilentConnectionsDoNotShutOutOthers",
	"listeners[].options.connectTimeoutMs":                            "channel.TestSlowHelloIsClosed ingress.TestRequestLine",
	"listeners[].options.writeTimeout":                                "channel.TestEagerWriteAfterADeadline app.TestDataOptionsReachFlow",
	"listeners[].options.mtu":                                         "flow.TestMessagesAreCutIntoChunks flow.TestWriteIsCut app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalStartSize":                           "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalMinSize":                             "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalMaxSize":                             "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalIncreaseThresh":                      "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalIncreaseScale":                       "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalRetxThresh":                          "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalRetxScale":                           "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txPortalDupAckThresh":                        "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.rxBufferSize":                                "flow.TestReceiveBufferOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.retxStartMs":                                 "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.retxScale":                                   "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.retxAddMs":                                   "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.retxMaxMs":                                   "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.maxRttScale":                                 "flow.TestRoundTripLimit app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.txQueueSize":                                 "ramp.TestGather app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.maxCloseWaitMs":                              "flow.TestLingerOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.randomDrops":                                 "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.drop1InN":                                    "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"listeners[].options.advertise":                                   "app.TestEnrollAndRunARouter",
	"listeners[].options.getCircuitTimeout":                           "ingress.TestNoCircuit",
	"listeners[].options.lookupSessionTimeout":                        "edge.TestServiceSessionWaitsForItsKey edge.TestNoPatienceForPolicies app.TestKeysReachTheUplink",
	"listeners[].options.lookupApiSessionTimeout":                     "app.TestHelloWaitsForANewCertificate app.TestKeysReachTheUplink",
	"dialers[].binding":                                               "app.TestWithoutDialers app.TestServicesWithoutAnSDK",
	"dialers[].options.mtu":                                           "flow.TestMessagesAreCutIntoChunks flow.TestWriteIsCut app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalStartSize":                             "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalMinSize":                               "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalMaxSize":                               "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalIncreaseThresh":                        "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalIncreaseScale":                         "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalRetxThresh":                            "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalRetxScale":                             "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txPortalDupAckThresh":                          "flow.TestWindowOptions flow.TestGrowthOptions flow.TestShrinkOptions flow.TestDuplicatesRaiseTheScale app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.rxBufferSize":                                  "flow.TestReceiveBufferOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.retxStartMs":                                   "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.retxScale":                                     "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.retxAddMs":                                     "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.retxMaxMs":                                     "flow.TestRetransmissionOptions flow.TestTooEarlyIsNoticed app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.maxRttScale":                                   "flow.TestRoundTripLimit app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.txQueueSize":                                   "ramp.TestGather app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.maxCloseWaitMs":                                "flow.TestLingerOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.randomDrops":                                   "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.drop1InN":                                      "flow.TestDropOption app.TestDataOptionsReachFlow app.TestTunedServices",
	"dialers[].options.connectTimeout":                                "egress.TestSilentServer",
	"dialers[].options.circuitStartTimeout":                           "egress.TestDialerThatNeverBegins app.TestDataOptionsReachFlow",
	"link.listeners[].binding":                                        "app.TestRoutersLink",
	"link.listeners[].bind":                                           "app.TestRoutersLink",
	"link.listeners[].advertise":                                      "app.TestRoutersLink app.TestLinkKeysReachTheLinks",
	"link.listeners[].bindInterface":                                  "app.TestLocalAddresses app.TestLinkKeysReachTheLinks",
	"link.listeners[].groups":                                         "app.TestRoutersLink link.TestPeerChanges app.TestLinkKeysReachTheLinks",
	"link.listeners[].costTags":                                       "app.TestLinkKeysReachTheLinks",
	"link.listeners[].options.outQueueSize":                           "app.TestLinkKeysReachTheLinks channel.TestQueueBoundedInMessages",
	"link.listeners[].options.maxQueuedConnects":                      "app.TestLinkKeysReachTheLinks channel.TestSilentConnectionsDoNotShutOutOthers",
	"link.listeners[].options.maxOutstandingConnects":                 "app.TestLinkKeysReachTheLinks channel.TestSilentConnectionsDoNotShutOutOthers",
	"link.listeners[].options.connectTimeoutMs":                       "app.TestLinkKeysReachTheLinks link.TestHostileHello channel.TestSlowHelloIsClosed",
	"link.listeners[].options.writeTimeout":                           "app.TestLinkKeysReachTheLinks channel.TestEagerWriteAfterADeadline",
	"link.dialers[].binding":                                          "app.TestRoutersLink",
	"link.dialers[].bind":                                             "app.TestDialFromAnAddress app.TestLocalAddresses",
	"link.dialers[].split":                                            "link.TestWithoutSplit app.TestLinkKeysReachTheLinks",
	"link.dialers[].maxDefaultConnections":                            "link.TestLinkOfOneDialer app.TestLinkKeysReachTheLinks",
	"link.dialers[].maxAckConnections":                                "link.TestLinkOfOneDialer app.TestLinkKeysReachTheLinks",
	"link.dialers[].startupDelay":                                     "link.TestLinkOfOneDialer app.TestLinkKeysReachTheLinks",
	"link.dialers[].groups":                                           "app.TestRoutersLink link.TestPeerChanges app.TestLinkKeysReachTheLinks",
	"link.dialers[].healthyDialBackoff.minRetryInterval":              "link.TestPausesGrow link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].healthyDialBackoff.maxRetryInterval":              "link.TestBackoff link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].healthyDialBackoff.retryBackoffFactor":            "link.TestBackoff link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].unhealthyDialBackoff.minRetryInterval":            "link.TestPausesGrow link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].unhealthyDialBackoff.maxRetryInterval":            "link.TestBackoff link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].unhealthyDialBackoff.retryBackoffFactor":          "link.TestBackoff link.TestRedials app.TestLinkKeysReachTheLinks",
	"link.dialers[].options.outQueueSize":                             "app.TestLinkKeysReachTheLinks channel.TestQueueBoundedInMessages",
	"link.dialers[].options.connectTimeoutMs":                         "app.TestLinkKeysReachTheLinks channel.TestSlowHelloIsClosed",
	"link.dialers[].options.writeTimeout":                             "app.TestLinkKeysReachTheLinks channel.TestEagerWriteAfterADeadline",
	"link.heartbeats.sendInterval":                                    "link.TestSparseTraffic",
	"link.heartbeats.checkInterval":                                   "link.TestShortSilence",
	"link.heartbeats.closeUnresponsiveTimeout":                        "link.TestSilentDeath",
	"link.heartbeats.unresponsiveAfter":                               "link.TestShortSilence",
	"link.payloadSenderQueueSize":                                     "channel.TestQueueBoundedInMessages link.TestQueuesOfKinds",
	"link.ackSenderQueueSize":                                         "channel.TestQueueBoundedInMessages link.TestQueuesOfKinds",
	"forwarder.xgressDialDwellTime":                                   "app.TestEgressBounds",
	"forwarder.xgressDialQueueLength":                                 "app.TestEgressBounds",
	"forwarder.xgressDialWorkerCount":                                 "app.TestEgressBounds",
	"forwarder.linkDialQueueLength":                                   "link.TestFullQueue",
	"forwarder.linkDialWorkerCount":                                   "link.TestFullQueue",
	"forwarder.rateLimitedQueueLength":                                "app.TestKeysReachTheUplink uplink.TestQueueOfTerminators",
	"forwarder.rateLimitedWorkerCount":                                "app.TestKeysReachTheUplink uplink.TestWorkersBoundMessagesUnderWay",
	"forwarder.faultTxInterval":                                       "app.TestKeysReachTheUplink forward.TestMeshReroutes",
	"forwarder.idleCircuitTimeout":                                    "app.TestIdleCircuitsEnd forward.TestIdleCircuits",
	"forwarder.idleTxInterval":                                        "app.TestIdleCircuitsEnd",
	"forwarder.xgressCloseCheckInterval":                              "forward.TestMeshCarriesAndEnds",
	"metrics.reportInterval":                                          "app.TestRouterTellsWhatItSees report.TestUsageAndRates",
	"metrics.intervalAgeThreshold":                                    "report.TestYoungIntervalsWait",
	"metrics.messageQueueSize":                                        "report.TestReportsWaitForAController",
	"metrics.eventQueueSize":                                          "report.TestEndedCircuits",
	"metrics.enableDataDelayMetric":                                   "edge.TestDataDelay app.TestDataDelayIsMeasured",
	"healthChecks.ctrlPingCheck.interval":                             "app.TestRouterHealthChecks health.TestRunRepeatsAndEnds",
	"healthChecks.ctrlPingCheck.timeout":                              "health.TestControllerPing",
	"healthChecks.ctrlPingCheck.initialDelay":                         "app.TestRouterHealthChecks health.TestRunRepeatsAndEnds",
	"healthChecks.linkCheck.interval":                                 "app.TestRouterHealthChecks health.TestRunRepeatsAndEnds",
	"healthChecks.linkCheck.initialDelay":                             "app.TestRouterHealthChecks health.TestRunRepeatsAndEnds",
	"healthChecks.linkCheck.minLinks":                                 "app.TestRouterHealthChecks health.TestLinksWithoutAMinimum",
	"connectEvents.enabled":                                           "app.TestRouterTellsWhatItSees report.TestConnectedIdentities",
	"connectEvents.batchInterval":                                     "app.TestRouterTellsWhatItSees report.TestConnectedIdentities",
	"connectEvents.fullSyncInterval":                                  "app.TestRouterTellsWhatItSees report.TestConnectedIdentities",
	"connectEvents.maxQueuedEvents":                                   "app.TestRouterTellsWhatItSees report.TestConnectedIdentities",
	"interfaceDiscovery.disabled":                                     "app.TestRouterTellsWhatItSees report.TestInterfaces",
	"interfaceDiscovery.checkInterval":                                "app.TestRouterTellsWhatItSees report.TestInterfaces",
	"interfaceDiscovery.minReportInterval":                            "app.TestRouterTellsWhatItSees report.TestInterfaces",
	"web[].name":                                                      "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].bindPoints[].interface":                                    "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].bindPoints[].address":                                      "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].bindPoints[].newAddress":                                   "app.TestPagesAndNewAddress",
	"web[].bindPoints[].identity.file":                                "app.TestOverlayBindPoint",
	"web[].bindPoints[].identity.env":                                 "app.TestOverlayBindPoint",
	"web[].bindPoints[].identity.service":                             "app.TestOverlayBindPoint",
	"web[].bindPoints[].identity.tlsClientAuthenticationPolicy":       "app.TestOverlayBindPoint",
	"web[].bindPoints[].identity.listenOptions.bindUsingEdgeIdentity": "app.TestOverlayBindPoint",
	"web[].apis[].options.scrapeCert":                                 "app.TestScrapeCertificate app.TestRouterRefusesUnknownAPIs",
	"web[].apis[].options.includeTimestamps":                          "metrics.TestTimestamps app.TestRouterRefusesUnknownAPIs",
	"web[].apis[].options.path":                                       "app.TestPages conf.TestWebPages",
	"web[].apis[].options.location":                                   "app.TestPages conf.TestWebPages",
	"web[].apis[].options.indexFile":                                  "app.TestPages conf.TestWebPages",
	"web[].apis[].binding":                                            "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.cert":                                             "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.key":                                              "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.ca":                                               "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.server_cert":                                      "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.server_key":                                       "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.alt_server_certs[].server_cert":                   "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].identity.alt_server_certs[].server_key":                    "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].options.readTimeout":                                       "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].options.idleTimeout":                                       "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].options.writeTimeout":                                      "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].options.minTLSVersion":                                     "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"web[].options.maxTLSVersion":                                     "app.TestRouterHealthChecks app.TestRouterWebServerOfItsOwnIdentity app.TestRouterRefusesUnknownAPIs",
	"transport.wss.writeTimeout":                                      "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.readTimeout":                                       "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.idleTimeout":                                       "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.pongTimeout":                                       "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.pingInterval":                                      "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.handshakeTimeout":                                  "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.readBufferSize":                                    "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.writeBufferSize":                                   "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.enableCompression":                                 "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.cert":                                     "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.key":                                      "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.ca":                                       "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.server_cert":                              "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.server_key":                               "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.alt_server_certs[].server_cert":           "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.wss.identity.alt_server_certs[].server_key":            "app.TestBrowserListener edge.TestWebSocketCarriesAChannel edge.TestWebSocketPings edge.TestWebSocketNeedsTheClientsCertificate",
	"transport.proxy.type":                                            "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"transport.proxy.address":                                         "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"transport.proxy.username":                                        "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"transport.proxy.password":                                        "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"proxy.type":                                                      "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"proxy.address":                                                   "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"proxy.username":                                                  "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"proxy.password":                                                  "app.TestOutgoingProxies app.TestProxyThatRefuses",
	"tls.handshakeTimeout":                                            "channel.TestHandshakeTimeout",
	"trace.path":                                                      "app.TestRouterTrace cli.TestPrintTrace",
	"profile.cpu.path":                                                "app.TestProfiles",
	"profile.memory.path":                                             "app.TestProfiles",
	"profile.memory.intervalMs":                                       "app.TestProfiles",
	"enableDebugOps":                                                  "app.TestDebugOperations",
}

// TestEveryRouterKeyIsProven finds keys of the schema without a row, rows
// without a key, and rows that name a test that does not exist.
func TestEveryRouterKeyIsProven(t *testing.T) {
	everyKeyIsProven(t, routerKeys, conf.ReferenceRouter())
}

// everyKeyIsProven compares rows with the keys that a reference calls active.
func everyKeyIsProven(t *testing.T, rows map[string]string, reference string) {
	t.Helper()
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
	for row, proofs := range rows {
		for proof := range strings.FieldsSeq(proofs) {
			if !tests[proof] {
				t.Errorf("%s: there is no test %s", row, proof)
			}
		}
	}
	used := make(map[string]bool)
	for _, key := range activeKeys(reference) {
		if rows[key] == "" {
			t.Errorf("%s has an effect, and no test shows it", key)
		}
		used[key] = true
	}
	for row := range rows {
		if !used[row] {
			t.Errorf("%s is no key with an effect", row)
		}
	}
}

// activeKeys lists the keys that a reference calls active, sections left out.
func activeKeys(reference string) []string {
	var keys []string
	for line := range strings.Lines(reference) {
		cells := strings.Split(line, " | ")
		if len(cells) < 5 || cells[3] != "active" || strings.HasPrefix(cells[1], "a section") || strings.HasPrefix(cells[1], "a list of sections") || strings.HasPrefix(cells[1], "sections under") {
			continue
		}
		keys = append(keys, strings.Trim(strings.TrimPrefix(cells[0], "| "), "`"))
	}
	return keys
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
	if l := u.Terminators; l.Window == nil || !reflect.DeepEqual(*l.Window, want) || l.Queue != 17 || l.Workers != 3 {
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
