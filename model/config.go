package model

import "encoding/json"

// Config is a JSON object of a config type, attached to services.
type Config struct {
	Base
	Name         string          `json:"name" weft:"create,update,patch,required,filter"`
	ConfigTypeID string          `json:"configTypeId" weft:"create,required,filter=type"`
	Data         json.RawMessage `json:"data" weft:"create,update,patch,required"`
}

// Kind returns KindConfig.
func (*Config) Kind() Kind { return KindConfig }

// ConfigType names the schema of configs.
type ConfigType struct {
	Base
	Name   string          `json:"name" weft:"create,update,patch,required,filter"`
	Schema json.RawMessage `json:"schema,omitempty" weft:"create,update,patch,filter"` // JSON schema draft 7, may be empty
	Target *string         `json:"target,omitempty" weft:"create"`                     // service, router or other
}

// Kind returns KindConfigType.
func (*ConfigType) Kind() Kind { return KindConfigType }
