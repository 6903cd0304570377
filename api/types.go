package api

import (
	"encoding/json"
	"time"
)

// Tags are free members of an entity: scalars only (string, number, bool, null).
type Tags map[string]any

// Link is one relation of an entity.
type Link struct {
	Href string `json:"href"`
}

// LinkSet is the list of relations of a kind of entity. It is made once and
// shared.
type LinkSet struct {
	Plural string // path of the list, such as identities
	Subs   []string
	Fixed  []Relation // relations that lead elsewhere
}

// Relation is a link whose address does not depend on the entity's id, or
// depends on another id which Links.Other carries and which is appended to Href.
type Relation struct {
	Name, Href string
	WithOther  bool
}

// Links is the _links member of one entity: a map of relation to Link. The
// addresses are relative to the base path of the API.
type Links struct {
	Set   *LinkSet
	ID    string
	Other string // id used by relations WithOther
}

// Ref is a reference to another entity.
type Ref struct {
	Links  Links  `json:"_links"`
	Entity string `json:"entity"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
}

// RouterRef is a reference to an edge router with its state.
type RouterRef struct {
	Ref
	IsOnline bool `json:"isOnline"`
}

// Base are the members that every entity has.
type Base struct {
	Links     Links     `json:"_links"`
	CreatedAt time.Time `json:"createdAt"`
	ID        string    `json:"id"`
	Tags      Tags      `json:"tags"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Created is the answer to a create.
type Created struct {
	Links Links  `json:"_links"`
	ID    string `json:"id"`
}

// Raw is a JSON text that is passed on as it is.
type Raw = json.RawMessage

// NamedRole is a role with the name of the entity it mentions.
type NamedRole struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// EnvInfo describes the machine of a client.
type EnvInfo struct {
	Arch      string `json:"arch,omitempty" api:"max=255"`
	Domain    string `json:"domain,omitempty" api:"max=253"`
	Hostname  string `json:"hostname,omitempty" api:"max=253"`
	Os        string `json:"os,omitempty" api:"max=255"`
	OsRelease string `json:"osRelease,omitempty" api:"max=255"`
	OsVersion string `json:"osVersion,omitempty" api:"max=255"`
}

// SdkInfo describes the program of a client.
type SdkInfo struct {
	AppID      string `json:"appId,omitempty" api:"max=255"`
	AppVersion string `json:"appVersion,omitempty" api:"max=255"`
	Branch     string `json:"branch,omitempty" api:"max=255"`
	Revision   string `json:"revision,omitempty" api:"max=255"`
	Type       string `json:"type,omitempty" api:"max=255"`
	Version    string `json:"version,omitempty" api:"max=255"`
}

// Interface is one network interface of a router's machine.
type Interface struct {
	Addresses       []string `json:"addresses"`
	HardwareAddress string   `json:"hardwareAddress"`
	Index           int64    `json:"index"`
	IsBroadcast     bool     `json:"isBroadcast"`
	IsLoopback      bool     `json:"isLoopback"`
	IsMulticast     bool     `json:"isMulticast"`
	IsRunning       bool     `json:"isRunning"`
	IsUp            bool     `json:"isUp"`
	Mtu             int64    `json:"mtu"`
	Name            string   `json:"name"`
}
