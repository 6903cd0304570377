package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// addExamples gives examples to the commands below c that bring none: those of
// the table, else what fits every list and show.
func addExamples(c *cobra.Command, path []string) {
	for _, sub := range c.Commands() {
		below := append(path[:len(path):len(path)], sub.Name())
		addExamples(sub, below)
		if sub.Example != "" || sub.HasSubCommands() {
			continue
		}
		words := below
		for len(words) > 1 && (words[0] == "edge" || words[0] == "fabric" || words[0] == "ops") {
			words = words[1:]
		}
		lines, ok := exampleLines[strings.Join(words, " ")]
		if !ok {
			lines = commonExamples(words)
		}
		sub.Example = exampleText(below[:len(below)-len(words)], lines)
	}
}

// exampleText writes examples as the help shows them; before are words that
// stand before the command.
func exampleText(before []string, lines []string) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "  " + strings.Join(append(append([]string{"weft"}, before...), line), " ")
	}
	return strings.Join(out, "\n")
}

// commonExamples are those of lists and shows.
func commonExamples(words []string) []string {
	line := strings.Join(words, " ")
	switch {
	case words[0] == "show" && len(words) == 2:
		name := exampleNames[words[1]]
		if name == "" {
			name = exampleID
		}
		return []string{line + " " + name, line + " " + name + " -o yaml"}
	case words[0] == "list" && len(words) == 3:
		name := exampleNames[words[1]]
		return []string{line + " " + name, line + " " + name + " -o name"}
	case words[0] == "list":
		return []string{line, line + " --all -o csv"}
	case words[0] == "validate":
		return []string{line, line + " --include-valid -o json"}
	}
	return nil
}

// exampleID is an id in examples.
const exampleID = "4owATiXmB23D"

// exampleNames are names of entities in examples, by the kind.
var exampleNames = map[string]string{
	"identity": "alice", "service": "web", "config": "web.host", "config-type": "host.v1", "edge-router": "east", "router": "east",
	"service-policy": "web-dial", "edge-router-policy": "all", "service-edge-router-policy": "all", "auth-policy": "strict", "ca": "partners",
	"ca-jwt": "partners", "ext-jwt-signer": "idp", "posture-check": "desks", "transit-router": "relay", "identity-type": "Default",
	"posture-check-type": "OS", "controller": "ctrl1", "spec": "edge-management",
}

// exampleLines are the examples of commands, by the words after weft.
var exampleLines = map[string][]string{
	"agent bundle":     {"agent bundle bundle.tar.gz"},
	"agent circuits":   {"agent circuits", "agent circuits --id X91Z5iNIe2 -o json"},
	"agent gc":         {"agent gc --app controller"},
	"agent goroutines": {"agent goroutines --app router"},
	"agent heap":       {"agent heap heap.pprof"},
	"agent links":      {"agent links --app router", "agent links -o json"},
	"agent list":       {"agent list", "agent list -o json"},
	"agent memory":     {"agent memory --app controller"},
	"agent profile":    {"agent profile cpu.pprof --within 10s"},
	"agent routes":     {"agent routes --app router"},
	"agent stack":      {"agent stack -p 4711"},
	"agent status":     {"agent status", "agent status --app router -o json"},

	"cluster list":                {"cluster list", "cluster list -o json"},
	"cluster remove":              {"cluster remove ctrl2", "cluster remove ctrl2 --dry-run"},
	"cluster transfer-leadership": {"cluster transfer-leadership", "cluster transfer-leadership ctrl2"},
	"context show":                {"context show", "context show other -o json"},
	"create config-type":          {`create config-type limits.v1 '{"type":"object"}'`, "create config-type limits.v1 -f schema.json"},
	"db check-integrity-status":   {"db check-integrity-status", "db check-integrity-status -o json"},
	"db start-check-integrity":    {"db start-check-integrity --wait", "db start-check-integrity --fix --dry-run"},
	"enable identity":             {"enable identity alice"},
	"extend authenticator":        {"extend authenticator " + exampleID},
	"list api-sessions":           {`list api-sessions 'identity.name="alice"'`, "list api-sessions --all -o csv"},
	"list identities":             {`list identities 'name contains "ali" sort by name'`, `list identities 'anyOf(roleAttributes)="staff"' --all -o name`, "list identities --watch"},
	"list services":               {`list services 'name contains "web"'`, "list services --columns name,roleAttributes", "list services --all -o json"},
	"list circuits":               {"list circuits --watch"},
	"list edge-routers":           {"list edge-routers 'not isOnline'", "list edge-routers --watch"},
	"list capabilities":           {"list capabilities"},
	"list summary":                {"list summary", "list summary -o json"},
	"list terminators":            {`list terminators 'service.name="web"'`},
	"mfa enroll":                  {"mfa enroll", "mfa enroll --qr code.png"},
	"mfa recovery-codes":          {"mfa recovery-codes 123456"},
	"mfa remove":                  {"mfa remove 123456"},
	"mfa reset":                   {"mfa reset alice"},
	"mfa show":                    {"mfa show"},
	"mfa verify":                  {"mfa verify 123456"},
	"password":                    {"password"},
	"re-enroll authenticator":     {"re-enroll authenticator " + exampleID},
	"refresh enrollment":          {"refresh enrollment " + exampleID},
	"show spec":                   {"show spec edge-management", "show spec edge-management --body"},
	"version":                     {"version", "version --controller -o json"},
	"whoami":                      {"whoami", "whoami -o name"},

	"update auth-policy":                 {"update auth-policy strict --secondary-req-totp"},
	"update ca":                          {"update ca partners --autoca -a partner", "update ca partners --auth=false"},
	"update config":                      {`update config web.host --data '{"protocol":"tcp","address":"localhost","port":8080}'`, "update config web.host -f data.json"},
	"update config-type":                 {"update config-type limits.v1 -f schema.json"},
	"update edge-router":                 {"update edge-router east -a public --cost 20", "update edge-router east --disabled --dry-run"},
	"update edge-router-policy":          {"update edge-router-policy all --identity-roles '#all' --edge-router-roles '#public'"},
	"update ext-jwt-signer":              {"update ext-jwt-signer idp --enabled=false"},
	"update identity":                    {"update identity alice -a staff,sales", "update identity alice --name alice.b --dry-run"},
	"update posture-check domain":        {"update posture-check domain corp -d corp.example"},
	"update posture-check mac":           {"update posture-check mac desks -m 00:11:22:33:44:55"},
	"update posture-check mfa":           {"update posture-check mfa code --seconds 3600 --wake"},
	"update posture-check os":            {"update posture-check os desktops --os 'Windows:>=10.0.0,macOS'"},
	"update posture-check process":       {"update posture-check process guard --os Linux --path /usr/bin/guard"},
	"update posture-check process-multi": {"update posture-check process-multi guards --processes Linux=/usr/bin/guard --semantic AnyOf"},
	"update service":                     {"update service web -a intranet", "update service web --configs web.host,web.intercept --dry-run"},
	"update service-edge-router-policy":  {"update service-edge-router-policy all --service-roles '#all' --edge-router-roles '#all'"},
	"update service-policy":              {"update service-policy web-dial --identity-roles '#staff,@alice'"},
	"update terminator":                  {"update terminator " + exampleID + " --cost 10 --precedence required"},
	"update transit-router":              {"update transit-router relay --cost 5"},

	"validate circuits":          {"validate circuits", `validate circuits 'name="east"' --include-valid`},
	"validate terminators":       {"validate terminators", "validate terminators --fix-invalid"},
	"validate service-hosting":   {"validate service-hosting", "validate service-hosting -o json"},
	"validate router-data-model": {"validate router-data-model", "validate router-data-model --fix"},
	"what-if create":             {"what-if create service-policy p Dial --identity-roles '#all' --service-roles '@web'"},
	"what-if delete":             {"what-if delete service-policy web-dial"},
	"what-if update":             {"what-if update identity alice -a staff"},
}
