package app

import (
	"slices"
	"strings"
)

// packagesOfLog are the packages of the program by which log levels are set.
var packagesOfLog = []string{
	"agent",
	"api",
	"api/openapi",
	"api/openapi/conform",
	"app",
	"channel",
	"cli",
	"client",
	"client/internal/gen",
	"clock",
	"cluster",
	"conf",
	"control",
	"controller/audit",
	"controller/auth",
	"controller/database",
	"controller/declare",
	"controller/enroll",
	"controller/events",
	"controller/extjwt",
	"controller/fetch",
	"controller/http",
	"controller/manage",
	"controller/metrics",
	"controller/network",
	"controller/network/topology",
	"controller/rotate",
	"controller/routers",
	"controller/rules",
	"controller/thirdparty",
	"fault",
	"flow",
	"id",
	"limit",
	"model",
	"model/query",
	"model/role",
	"model/schema",
	"observe",
	"pki",
	"policy",
	"router/edge",
	"router/egress",
	"router/forward",
	"router/health",
	"router/ingress",
	"router/link",
	"router/ramp",
	"router/renew",
	"router/report",
	"router/uplink",
	"sdk",
	"state",
	"token",
	"wire/ctrl",
	"wire/edge",
	"wire/edge/edgepb",
	"wire/message",
	"wire/mgmt",
	"wire/secretstream",
	"wire/xgress",
}

// knownPart reports whether a part of the log is a package, or a room or directory
// with packages.
func knownPart(part string) bool {
	return slices.ContainsFunc(packagesOfLog, func(p string) bool { return p == part || strings.HasPrefix(p, part+"/") })
}
