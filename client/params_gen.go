// Code generated from the operation table by client/internal/gen. DO NOT EDIT.

package client

import (
	"net/http"
	"net/url"
	"strconv"
)

// AuthenticateParams are the parameters of authenticate; zero members are not sent.
type AuthenticateParams struct {
	Method string // How to log in.
}

func (p *AuthenticateParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Method != "" {
		q.Set("method", p.Method)
	}
}

// ListParams are the parameters of all lists; zero members are not sent.
type ListParams struct {
	Filter string // Query in the filter language; may carry sort by, skip and limit.
	Limit  int64  // Number of entries, 10 by default, 500 at most, -1 for all.
	Offset int64  // Number of entries to skip.
	Sort   string // Fields to sort by, such as name desc, createdAt.
}

func (p *ListParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Filter != "" {
		q.Set("filter", p.Filter)
	}
	if p.Limit != 0 {
		q.Set("limit", strconv.FormatInt(p.Limit, 10))
	}
	if p.Offset != 0 {
		q.Set("offset", strconv.FormatInt(p.Offset, 10))
	}
	if p.Sort != "" {
		q.Set("sort", p.Sort)
	}
}

// EnrollParams are the parameters of enroll; zero members are not sent.
type EnrollParams struct {
	Method string // ott, ottca, updb or erott; that of the token when absent.
	Token  string // One-time token.
}

func (p *EnrollParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Method != "" {
		q.Set("method", p.Method)
	}
	if p.Token != "" {
		q.Set("token", p.Token)
	}
}

// EnrollUpdbParams are the parameters of enrollUpdb; zero members are not sent.
type EnrollUpdbParams struct {
	Token string // One-time token.
}

func (p *EnrollUpdbParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Token != "" {
		q.Set("token", p.Token)
	}
}

// ListIdentitiesParams are the parameters of listIdentities; zero members are not sent.
type ListIdentitiesParams struct {
	ListParams
	RoleFilter   []string // Roles: #attribute or @id; may be repeated.
	RoleSemantic string   // AllOf (default) or AnyOf.
}

func (p *ListIdentitiesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.RoleFilter {
		q.Add("roleFilter", v)
	}
	if p.RoleSemantic != "" {
		q.Set("roleSemantic", p.RoleSemantic)
	}
}

// ListIdentityServicesParams are the parameters of listIdentityServices; zero members are not sent.
type ListIdentityServicesParams struct {
	ListParams
	PolicyType string // dial or bind; both when absent.
}

func (p *ListIdentityServicesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.PolicyType != "" {
		q.Set("policyType", p.PolicyType)
	}
}

// ListServicesParams are the parameters of listServices; zero members are not sent.
type ListServicesParams struct {
	ListParams
	RoleFilter   []string // Roles: #attribute or @id; may be repeated.
	RoleSemantic string   // AllOf (default) or AnyOf.
	ConfigTypes  []string // Config types to show in config, by name or id; all for every type.
	AsIdentity   string   // Answer as the identity with this id or name would see it.
}

func (p *ListServicesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.RoleFilter {
		q.Add("roleFilter", v)
	}
	if p.RoleSemantic != "" {
		q.Set("roleSemantic", p.RoleSemantic)
	}
	for _, v := range p.ConfigTypes {
		q.Add("configTypes", v)
	}
	if p.AsIdentity != "" {
		q.Set("asIdentity", p.AsIdentity)
	}
}

// ListServiceIdentitiesParams are the parameters of listServiceIdentities; zero members are not sent.
type ListServiceIdentitiesParams struct {
	ListParams
	PolicyType string // dial or bind; both when absent.
}

func (p *ListServiceIdentitiesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.PolicyType != "" {
		q.Set("policyType", p.PolicyType)
	}
}

// EdgeListServicesParams are the parameters of listServices; zero members are not sent.
type EdgeListServicesParams struct {
	ListParams
	RoleFilter   []string // Roles: #attribute or @id; may be repeated.
	RoleSemantic string   // AllOf (default) or AnyOf.
	ConfigTypes  []string // Config types to show in config, by name or id; all for every type.
}

func (p *EdgeListServicesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.RoleFilter {
		q.Add("roleFilter", v)
	}
	if p.RoleSemantic != "" {
		q.Set("roleSemantic", p.RoleSemantic)
	}
	for _, v := range p.ConfigTypes {
		q.Add("configTypes", v)
	}
}

// DetailServiceParams are the parameters of detailService; zero members are not sent.
type DetailServiceParams struct {
	ConfigTypes []string // Config types to show in config, by name or id; all for every type.
}

func (p *DetailServiceParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	for _, v := range p.ConfigTypes {
		q.Add("configTypes", v)
	}
}

// ListEdgeRoutersParams are the parameters of listEdgeRouters; zero members are not sent.
type ListEdgeRoutersParams struct {
	ListParams
	RoleFilter   []string // Roles: #attribute or @id; may be repeated.
	RoleSemantic string   // AllOf (default) or AnyOf.
}

func (p *ListEdgeRoutersParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.RoleFilter {
		q.Add("roleFilter", v)
	}
	if p.RoleSemantic != "" {
		q.Set("roleSemantic", p.RoleSemantic)
	}
}

// ShowPathParams are the parameters of showPath; zero members are not sent.
type ShowPathParams struct {
	From string // Id or name of the router where circuits begin.
	To   string // Id or name of the router where they end.
}

func (p *ShowPathParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.From != "" {
		q.Set("from", p.From)
	}
	if p.To != "" {
		q.Set("to", p.To)
	}
}
