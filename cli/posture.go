package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// postureKind is the kind of posture checks: create and update have a command
// per type of check.
type postureKind struct {
	*entity[object, object, object]
}

func postureChecks() kind {
	e := objects("posture-check", "posture-checks", managementBase, "NAME=name", "TYPE=typeId", "ATTRIBUTES=roleAttributes")
	e.aliases = []string{"pc", "pcs"}
	return postureKind{e}
}

// postureType is one type of posture checks.
type postureType struct {
	name, id  string
	arguments string // of create, after the type
	short     string
	example   string
	flags     func(memberFlags)
	fill      func(in *object, args []string) error // of create, without the name
}

func postureTypes() []postureType {
	return []postureType{
		{name: "mac", id: "MAC", arguments: "NAME", short: "one of these MAC addresses", example: "  weft create posture-check mac desks -m 00:11:22:33:44:55",
			flags: func(m memberFlags) {
				m.list("macAddresses", "mac-addresses", "m", "MAC addresses")
			}},
		{name: "domain", id: "DOMAIN", arguments: "NAME", short: "one of these Windows domains", example: "  weft create posture-check domain office -d corp.example",
			flags: func(m memberFlags) { m.list("domains", "domains", "d", "Windows domains") }},
		{name: "os", id: "OS", arguments: "NAME", short: "one of these operating systems", example: "  weft create posture-check os current --os 'Windows:>=10.0.0' --os Linux",
			flags: func(m memberFlags) {
				m.f.Var(setter{m.to, "operatingSystems", func(s string) (any, error) { return parseSystems(m.to, s) }, "TYPE[:VERSIONS]"},
					"os", "Windows, WindowsServer, macOS, iOS, Android or Linux, with versions such as 'Windows:>=10.0.0'; may be repeated, or several with commas")
			}},
		{name: "process", id: "PROCESS", arguments: "NAME OS PATH", short: "a program that runs", example: "  weft create posture-check process agent Linux /usr/bin/agent",
			flags: func(m memberFlags) {
				m.list("process.hashes", "hashes", "s", "SHA-512 hashes of the file, one of which it must have")
				m.text("process.signerFingerprint", "signer-fingerprint", "f", "fingerprint of the certificate that signed the file")
			},
			fill: func(in *object, args []string) error {
				in.set("process.osType", osType(args[0]))
				in.set("process.path", args[1])
				return nil
			}},
		{name: "process-multi", id: "PROCESS_MULTI", arguments: "NAME AllOf|AnyOf OS=PATH...", short: "programs that run, all of them or one",
			example: "  weft create posture-check process-multi scanners AnyOf Linux=/usr/bin/scan 'Windows=C:\\scan.exe'",
			flags: func(m memberFlags) {
				m.list("hashes", "hashes", "s", "SHA-512 hashes of the files, one of which each must have")
				m.list("signerFingerprints", "signer-fingerprints", "f", "fingerprints of the certificates that may have signed the files")
			},
			fill: fillProcesses},
		{name: "mfa", id: "MFA", arguments: "NAME", short: "a one-time code, now and then", example: "  weft create posture-check mfa codes --seconds 3600 --wake",
			flags: func(m memberFlags) {
				m.number("timeoutSeconds", "seconds", "s", "seconds that a code lasts (default -1, for ever)")
				m.bool("promptOnWake", "wake", "w", "ask again after sleep")
				m.bool("promptOnUnlock", "unlock", "u", "ask again after the screen was locked")
				m.bool("ignoreLegacyEndpoints", "ignore-legacy", "", "let clients pass that cannot be asked")
			}},
	}
}

// osType returns the name of an operating system as the API spells it; others
// stay as they are, for the controller to refuse.
func osType(s string) string {
	for _, known := range []string{"Windows", "WindowsServer", "Android", "iOS", "Linux", "macOS"} {
		if strings.EqualFold(s, known) {
			return known
		}
	}
	return s
}

// parseSystems adds operating systems to those that were given before. Several
// are divided by commas, versions of one as well.
func parseSystems(in *object, text string) (any, error) {
	old, _ := (*in)["operatingSystems"].([]any)
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		name, version, _ := strings.Cut(item, ":")
		switch {
		case item == "":
		case strings.ContainsAny(item[:1], "0123456789<>=~^!*") && len(old) > 0: // a further version
			last := old[len(old)-1].(map[string]any)
			last["versions"] = append(last["versions"].([]any), item)
		case version == "":
			old = append(old, map[string]any{"type": osType(name), "versions": []any{}})
		default:
			old = append(old, map[string]any{"type": osType(name), "versions": []any{version}})
		}
	}
	return old, nil
}

func fillProcesses(in *object, args []string) error {
	semantic := args[0]
	for _, known := range []string{"AllOf", "AnyOf"} {
		if strings.EqualFold(semantic, known) {
			semantic = known
		}
	}
	if semantic != "AllOf" && semantic != "AnyOf" {
		return usageError("write AllOf or AnyOf", "a semantic %q", args[0])
	}
	pairs := args[1:]
	if len(pairs) == 2 && !strings.Contains(pairs[0], "=") { // lists of types and of paths
		types, paths := splitList(pairs[0]), splitList(pairs[1])
		if len(types) != len(paths) {
			return usageError("write OS=PATH for each program", "%d operating systems and %d paths", len(types), len(paths))
		}
		pairs = nil
		for i := range types {
			pairs = append(pairs, types[i]+"="+paths[i])
		}
	}
	var processes []any
	for _, pair := range pairs {
		system, path, ok := strings.Cut(pair, "=")
		if !ok {
			return usageError("write OS=PATH, such as Linux=/usr/bin/agent", "a program %q", pair)
		}
		process := map[string]any{"osType": osType(system), "path": path}
		for _, more := range []string{"hashes", "signerFingerprints"} {
			process[more] = []string{}
			if v, given := (*in)[more]; given {
				process[more] = v
			}
		}
		processes = append(processes, process)
	}
	delete(*in, "hashes")
	delete(*in, "signerFingerprints")
	in.set("semantic", semantic)
	in.set("processes", processes)
	return nil
}

func (p postureKind) create(t *tool) *cobra.Command {
	g := &cobra.Command{Use: "posture-check", Aliases: []string{"posture-checks", "pc"}, Short: "Create a posture check", Args: cobra.NoArgs, RunE: help}
	for _, pt := range postureTypes() {
		e := *p.entity
		e.arguments, e.example = pt.arguments, pt.example
		e.createFlags = func(f *pflag.FlagSet, in *object) { pt.allFlags(f, in) }
		e.fillCreate = func(_ *call, in *object, args []string) error {
			in.set("name", args[0])
			in.set("typeId", pt.id)
			in.fallback("roleAttributes", nil)
			if pt.id == "MFA" {
				in.fallback("timeoutSeconds", -1)
			}
			if pt.fill == nil {
				return nil
			}
			return pt.fill(in, args[1:])
		}
		c := e.create(t)
		c.Use, c.Aliases = pt.name+" "+pt.arguments, nil
		c.Short = "Create a posture check: " + pt.short
		c.Long = c.Short + ".\nPrints its id; with -o json the new entity, with -o name its name."
		if pt.id == "OS" {
			systemsByOutput(t, c)
		}
		t.flags(c)
		g.AddCommand(c)
	}
	return g
}

// systemsByOutput takes -o for --os where its value is no format, as the
// ecosystem writes it.
func systemsByOutput(t *tool, c *cobra.Command) {
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(formats, t.output) {
			if err := cmd.Flags().Set("os", t.output); err != nil {
				return err
			}
			t.output = formatTable
		}
		return run(cmd, args)
	}
}

func (pt *postureType) allFlags(f *pflag.FlagSet, in *object) {
	m := memberFlags{f, in}
	m.list("roleAttributes", "role-attributes", "a", "role attributes, without #")
	pt.flags(m)
	m.tags()
}

func (p postureKind) update(t *tool) *cobra.Command {
	g := &cobra.Command{Use: "posture-check", Aliases: []string{"posture-checks", "pc"}, Short: "Change the given members of a posture check", Args: cobra.NoArgs, RunE: help}
	for _, pt := range postureTypes() {
		e := *p.entity
		e.updateFlags = withName(pt.allFlags)
		e.fillUpdate = func(_ *call, in *object) error {
			in.set("typeId", pt.id)
			return nil
		}
		if pt.id == "PROCESS_MULTI" { // the programs change as a whole
			e.updateFlags = func(f *pflag.FlagSet, in *object) {
				withName(pt.allFlags)(f, in)
				m := memberFlags{f, in}
				m.text("semantic", "semantic", "", "AllOf or AnyOf")
				m.list("processes", "processes", "", "programs, OS=PATH; they replace the old ones")
			}
			e.fillUpdate = func(_ *call, in *object) error { return fillMulti(in, pt.id) }
		}
		if pt.id == "PROCESS" {
			e.updateFlags = func(f *pflag.FlagSet, in *object) {
				withName(pt.allFlags)(f, in)
				m := memberFlags{f, in}
				m.f.Var(setter{m.to, "process.osType", func(s string) (any, error) { return osType(s), nil }, "text"}, "os", "operating system; give it together with --path")
				m.text("process.path", "path", "", "path of the program")
			}
		}
		c := e.update(t)
		c.Use, c.Aliases = pt.name+" "+p.reference(), nil
		c.Short = "Change the given members of a posture check: " + pt.short
		t.flags(c)
		g.AddCommand(c)
	}
	return g
}

// fillMulti makes the list of programs of an update.
func fillMulti(in *object, id string) error {
	pairs, given := (*in)["processes"].([]string)
	if !given {
		if (*in)["hashes"] != nil || (*in)["signerFingerprints"] != nil {
			return usageError("give --processes as well", "hashes and signers belong to programs")
		}
		in.set("typeId", id)
		return nil
	}
	semantic, changed := (*in)["semantic"].(string)
	if !changed {
		semantic = "AllOf"
	}
	if err := fillProcesses(in, append([]string{semantic}, pairs...)); err != nil {
		return err
	}
	if !changed {
		delete(*in, "semantic")
	}
	in.set("typeId", id)
	return nil
}
