package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"strconv"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

func services() kind {
	flags := func(f *pflag.FlagSet, in *client.ServiceInput) {
		listFlag(f, &in.RoleAttributes, "role-attributes", "a", "role attributes, without #")
		listFlag(f, &in.Configs, "configs", "c", "names or ids of configs")
		f.VarP(pointer[bool]{&in.EncryptionRequired, parseBool, "on|off"}, "encryption", "e", "whether clients must encrypt end to end (default on)")
		textFlag(f, &in.TerminatorStrategy, "terminator-strategy", "", "smartrouting, weighted, random or sticky")
		millisFlag(f, &in.MaxIdleTimeMillis, "max-idle-time", "close circuits that are silent for so long, such as 5m")
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	return &entity[client.Service, client.ServiceInput, client.ServiceInput]{
		one: "service", many: "services",
		columns: []column[client.Service]{
			{"NAME", func(d *client.Service) string { return d.Name }},
			{"ENCRYPTION", func(d *client.Service) string { return yesNo(d.EncryptionRequired) }},
			{"STRATEGY", func(d *client.Service) string { return d.TerminatorStrategy }},
			{"ATTRIBUTES", func(d *client.Service) string { return words(d.RoleAttributes) }},
			{"CONFIGS", func(d *client.Service) string { return number(len(d.Configs)) }},
		},
		ref: func(d *client.Service) (string, string) { return d.ID, d.Name },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.Service], error) {
			return m.ListServices(ctx, &client.ListServicesParams{ListParams: *p})
		},
		getOne:      (*client.Management).DetailService,
		post:        (*client.Management).CreateService,
		patch:       changeService,
		drop:        (*client.Management).DeleteService,
		arguments:   "NAME",
		example:     "  weft create service web -a internal --configs web.intercept",
		createFlags: flags,
		updateFlags: func(f *pflag.FlagSet, in *client.ServiceInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(c *call, in *client.ServiceInput, args []string) error {
			in.Name = &args[0]
			if in.EncryptionRequired == nil {
				in.EncryptionRequired = client.Ptr(true)
			}
			return c.ids("configs", in.Configs)
		},
		fillUpdate: func(c *call, in *client.ServiceInput) error { return c.ids("configs", in.Configs) },
	}
}

// changeService applies in. A PATCH leaves the encryption as it is, by the rules
// of the API, so that a change of it is a PUT of everything.
func changeService(m *client.Management, ctx context.Context, id string, in *client.ServiceInput) error {
	if in.EncryptionRequired == nil {
		return m.PatchService(ctx, id, in)
	}
	d, err := m.DetailService(ctx, id)
	if err != nil {
		return err
	}
	whole := client.ServiceInput{Configs: d.Configs, EncryptionRequired: in.EncryptionRequired, MaxIdleTimeMillis: &d.MaxIdleTimeMillis,
		Name: &d.Name, RoleAttributes: d.RoleAttributes, Tags: d.Tags, TerminatorStrategy: &d.TerminatorStrategy}
	if in.Configs != nil {
		whole.Configs = in.Configs
	}
	if in.RoleAttributes != nil {
		whole.RoleAttributes = in.RoleAttributes
	}
	if in.Tags != nil {
		whole.Tags = in.Tags
	}
	whole.MaxIdleTimeMillis = cmp.Or(in.MaxIdleTimeMillis, whole.MaxIdleTimeMillis)
	whole.Name = cmp.Or(in.Name, whole.Name)
	whole.TerminatorStrategy = cmp.Or(in.TerminatorStrategy, whole.TerminatorStrategy)
	return m.UpdateService(ctx, id, &whole)
}

func configs() kind {
	file := ""
	return &entity[client.Config, client.ConfigInput, client.ConfigInput]{
		one: "config", many: "configs",
		columns: []column[client.Config]{
			{"NAME", func(d *client.Config) string { return d.Name }},
			{"TYPE", func(d *client.Config) string { return refName(&d.ConfigType, d.ConfigTypeID) }},
		},
		ref:       func(d *client.Config) (string, string) { return d.ID, d.Name },
		getMany:   (*client.Management).ListConfigs,
		getOne:    (*client.Management).DetailConfig,
		post:      (*client.Management).CreateConfig,
		patch:     (*client.Management).PatchConfig,
		drop:      (*client.Management).DeleteConfig,
		arguments: "NAME TYPE [JSON]",
		example:   `  weft create config web.host host.v1 '{"protocol":"tcp","address":"localhost","port":8080}'`,
		createFlags: func(f *pflag.FlagSet, in *client.ConfigInput) {
			f.StringVarP(&file, "json-file", "f", "", "file with the data, - for standard input")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		updateFlags: func(f *pflag.FlagSet, in *client.ConfigInput) {
			textFlag(f, &in.Name, "name", "n", "new name")
			f.VarP(jsonText{&in.Data}, "data", "d", "the data as JSON")
			f.StringVarP(&file, "json-file", "f", "", "file with the data, - for standard input")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		fillCreate: func(c *call, in *client.ConfigInput, args []string) (err error) {
			in.Name, in.ConfigTypeID = &args[0], &args[1]
			text := ""
			if len(args) == 3 {
				text = args[2]
			}
			if in.Data, err = c.jsonData(text, file, true); err != nil {
				return err
			}
			return c.idOf("config-types", in.ConfigTypeID)
		},
		fillUpdate: func(c *call, in *client.ConfigInput) (err error) {
			in.Data, err = c.jsonData(string(in.Data), file, false)
			return err
		},
	}
}

func configTypes() kind {
	file := ""
	return &entity[client.ConfigType, client.ConfigTypeInput, client.ConfigTypeInput]{
		one: "config-type", many: "config-types",
		columns: []column[client.ConfigType]{
			{"NAME", func(d *client.ConfigType) string { return d.Name }},
			{"SCHEMA", func(d *client.ConfigType) string { return yesNo(len(d.Schema) > len("null")) }},
		},
		ref:       func(d *client.ConfigType) (string, string) { return d.ID, d.Name },
		getMany:   (*client.Management).ListConfigTypes,
		getOne:    (*client.Management).DetailConfigType,
		post:      (*client.Management).CreateConfigType,
		patch:     (*client.Management).PatchConfigType,
		drop:      (*client.Management).DeleteConfigType,
		arguments: "NAME [SCHEMA]",
		createFlags: func(f *pflag.FlagSet, in *client.ConfigTypeInput) {
			f.StringVarP(&file, "schema-file", "f", "", "file with the JSON schema, - for standard input")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		updateFlags: func(f *pflag.FlagSet, in *client.ConfigTypeInput) {
			textFlag(f, &in.Name, "name", "n", "new name")
			f.VarP(jsonText{&in.Schema}, "schema", "s", "the JSON schema")
			f.StringVarP(&file, "schema-file", "f", "", "file with the JSON schema, - for standard input")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		fillCreate: func(c *call, in *client.ConfigTypeInput, args []string) (err error) {
			in.Name = &args[0]
			text := ""
			if len(args) == 2 {
				text = args[1]
			}
			in.Schema, err = c.jsonData(text, file, false)
			return err
		},
		fillUpdate: func(c *call, in *client.ConfigTypeInput) (err error) {
			in.Schema, err = c.jsonData(string(in.Schema), file, false)
			return err
		},
	}
}

func terminators() kind {
	flags := func(f *pflag.FlagSet, in *client.TerminatorInput) {
		textFlag(f, &in.Binding, "binding", "", "binding of the router that serves it (default transport)")
		intFlag(f, &in.Cost, "cost", "cost, 0 to 65535")
		textFlag(f, &in.Precedence, "precedence", "p", "default, required or failed")
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	return &entity[client.Terminator, client.TerminatorInput, client.TerminatorInput]{
		one: "terminator", many: "terminators",
		columns: []column[client.Terminator]{
			{"SERVICE", func(d *client.Terminator) string { return refName(&d.Service, d.ServiceID) }},
			{"ROUTER", func(d *client.Terminator) string { return refName(&d.Router, d.RouterID) }},
			{"BINDING", func(d *client.Terminator) string { return d.Binding }},
			{"ADDRESS", func(d *client.Terminator) string { return d.Address }},
			{"INSTANCE", func(d *client.Terminator) string { return d.Identity }},
			{"COST", func(d *client.Terminator) string { return number(d.Cost) }},
			{"DYNAMIC", func(d *client.Terminator) string { return number(d.DynamicCost) }},
			{"PRECEDENCE", func(d *client.Terminator) string { return d.Precedence }},
		},
		empty: func(*call) string {
			return "no terminators: nobody hosts a service; a client that may Bind one makes its own, weft create terminator makes one for a plain server"
		},
		ref:       func(d *client.Terminator) (string, string) { return d.ID, "" },
		getMany:   (*client.Management).ListTerminators,
		getOne:    (*client.Management).DetailTerminator,
		post:      (*client.Management).CreateTerminator,
		patch:     (*client.Management).PatchTerminator,
		drop:      (*client.Management).DeleteTerminator,
		arguments: "SERVICE ROUTER ADDRESS",
		example:   "  weft create terminator web r1 tcp:localhost:8080",
		createFlags: func(f *pflag.FlagSet, in *client.TerminatorInput) {
			flags(f, in)
			textFlag(f, &in.Identity, "instance", "", "instance id, for dialing this terminator alone")
		},
		updateFlags: func(f *pflag.FlagSet, in *client.TerminatorInput) {
			flags(f, in)
			textFlag(f, &in.Address, "address", "", "new address")
			textFlag(f, &in.Router, "router", "", "name or id of another router")
		},
		fillCreate: func(c *call, in *client.TerminatorInput, args []string) error {
			in.Service, in.Router, in.Address = &args[0], &args[1], &args[2]
			if in.Binding == nil {
				in.Binding = client.Ptr("transport")
			}
			if err := c.idOf("services", in.Service); err != nil {
				return err
			}
			return c.idOf("edge-routers", in.Router)
		},
		fillUpdate: func(c *call, in *client.TerminatorInput) error { return c.idOf("edge-routers", in.Router) },
	}
}

// jsonText is the value of a flag that takes JSON.
type jsonText struct{ to *client.Object }

// Set keeps the text; it is checked when it is used.
func (j jsonText) Set(text string) error { *j.to = client.Object(text); return nil }

// String returns the text.
func (j jsonText) String() string {
	if j.to == nil {
		return ""
	}
	return string(*j.to)
}

// Type names the type in help texts.
func (j jsonText) Type() string { return "json" }

// jsonData returns JSON given as text or in a file; nil if neither is given
// and it may be absent.
func (c *call) jsonData(text, file string, required bool) (client.Object, error) {
	b := []byte(text)
	switch {
	case file != "" && text != "":
		return nil, usageError("give one of both", "both JSON and a file with JSON")
	case file == "-":
		var err error
		if b, err = io.ReadAll(c.cmd.InOrStdin()); err != nil {
			return nil, err
		}
	case file != "":
		var err error
		if b, err = os.ReadFile(file); err != nil {
			return nil, usageError("check the path", "%s", err)
		}
	case text == "" && required:
		return nil, usageError("give the JSON as argument or with --json-file", "no data")
	case text == "":
		return nil, nil
	}
	var object map[string]any
	if err := json.Unmarshal(b, &object); err != nil || object == nil {
		return nil, usageError("give an object such as {\"port\":80}", "the data is not a JSON object")
	}
	return client.Object(b), nil
}

func number(n int) string { return strconv.Itoa(n) }

// refName is the name of a reference, or the id if it has none.
func refName(r *client.Ref, id string) string {
	if r == nil || r.Name == "" {
		return id
	}
	return r.Name
}

func first[T any](refs ...*T) *T {
	for _, r := range refs {
		if r != nil {
			return r
		}
	}
	return nil
}
