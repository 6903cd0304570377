package api

import (
	"encoding/json"
	"errors"
)

// Config is the detail of a config.
type Config struct {
	Base
	IsSystem     bool   `json:"isSystem,omitempty"`
	ConfigType   Ref    `json:"configType"`
	ConfigTypeID string `json:"configTypeId"`
	Data         Raw    `json:"data"`
	Name         string `json:"name"`
}

// ConfigInput is what a caller may set on a config.
type ConfigInput struct {
	ConfigTypeID *string `json:"configTypeId,omitempty" api:"in=c,req=c"`
	Data         Object  `json:"data,omitempty" api:"req=cu"`
	Name         *string `json:"name,omitempty" api:"req=cu"`
	Tags         Tags    `json:"tags,omitempty"`
}

// ConfigType is the detail of a config type.
type ConfigType struct {
	Base
	IsSystem bool    `json:"isSystem,omitempty"`
	Name     string  `json:"name"`
	Schema   Raw     `json:"schema"`
	Target   *string `json:"target,omitempty"`
}

// ConfigTypeInput is what a caller may set on a config type.
type ConfigTypeInput struct {
	Name   *string `json:"name,omitempty" api:"req=cu"`
	Schema Object  `json:"schema,omitempty"` // JSON schema
	Tags   Tags    `json:"tags,omitempty"`
	Target *string `json:"target,omitempty" api:"in=c,enum=service|router|other"`
}

// Object is the text of a JSON object; null decodes to nil.
type Object json.RawMessage

// UnmarshalJSON takes an object or null and refuses everything else.
func (o *Object) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*o = nil
		return nil
	case len(b) == 0 || b[0] != '{':
		return errors.New("json: value must be an object")
	}
	*o = append(Object(nil), b...)
	return nil
}

// MarshalJSON returns the text.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON takes scalars and drops everything else.
func (t *Tags) UnmarshalJSON(b []byte) error {
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for k, v := range all {
		switch v.(type) {
		case map[string]any, []any:
			delete(all, k)
		}
	}
	*t = all
	return nil
}

func configs() []Operation {
	r := resource{"configs", "Config", "Configs", "config", "Config"}
	return append(crud[Config, ConfigInput](r), association[Service](r, "services", "listConfigServices", "service"))
}

func configTypes() []Operation {
	r := resource{"config-types", "ConfigType", "ConfigTypes", "config-type", "Config"}
	return append(crud[ConfigType, ConfigTypeInput](r), association[Config](r, "configs", "listConfigsForConfigType", "config"))
}
