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

// DeleteMfaParams are the parameters of deleteMfa; zero members are not sent.
type DeleteMfaParams struct {
	MfaValidationCode string // Current code.
}

func (p *DeleteMfaParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.MfaValidationCode != "" {
		h.Set("mfa-validation-code", p.MfaValidationCode)
	}
}

// DetailMfaRecoveryCodesParams are the parameters of detailMfaRecoveryCodes; zero members are not sent.
type DetailMfaRecoveryCodesParams struct {
	MfaValidationCode string // Current code.
}

func (p *DetailMfaRecoveryCodesParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.MfaValidationCode != "" {
		h.Set("mfa-validation-code", p.MfaValidationCode)
	}
}

// EnrollParams are the parameters of enroll; zero members are not sent.
type EnrollParams struct {
	Method string // ott, ottca, updb, erott, trott, ca or token; that of the one-time token when absent.
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

// EnrollTokenParams are the parameters of enrollToken; zero members are not sent.
type EnrollTokenParams struct {
	Authorization     string // Bearer and the token; may be repeated, the first good one counts.
	ZitiTokenIssuerID string // Id of the only signer whose tokens count.
}

func (p *EnrollTokenParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Authorization != "" {
		h.Set("Authorization", p.Authorization)
	}
	if p.ZitiTokenIssuerID != "" {
		h.Set("ziti-token-issuer-id", p.ZitiTokenIssuerID)
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

// ListIdentityRoleAttributeUsageParams are the parameters of listIdentityRoleAttributeUsage; zero members are not sent.
type ListIdentityRoleAttributeUsageParams struct {
	ListParams
	WithIds bool // Show the ids of those entities.
}

func (p *ListIdentityRoleAttributeUsageParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.WithIds {
		q.Set("withIds", "true")
	}
}

// ListEdgeRouterRoleAttributeUsageParams are the parameters of listEdgeRouterRoleAttributeUsage; zero members are not sent.
type ListEdgeRouterRoleAttributeUsageParams struct {
	ListParams
	WithIds bool // Show the ids of those entities.
}

func (p *ListEdgeRouterRoleAttributeUsageParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.WithIds {
		q.Set("withIds", "true")
	}
}

// ListServiceRoleAttributeUsageParams are the parameters of listServiceRoleAttributeUsage; zero members are not sent.
type ListServiceRoleAttributeUsageParams struct {
	ListParams
	WithIds bool // Show the ids of those entities.
}

func (p *ListServiceRoleAttributeUsageParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.WithIds {
		q.Set("withIds", "true")
	}
}

// ListPostureCheckRoleAttributeUsageParams are the parameters of listPostureCheckRoleAttributeUsage; zero members are not sent.
type ListPostureCheckRoleAttributeUsageParams struct {
	ListParams
	WithIds bool // Show the ids of those entities.
}

func (p *ListPostureCheckRoleAttributeUsageParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.WithIds {
		q.Set("withIds", "true")
	}
}

// ListPostureChecksParams are the parameters of listPostureChecks; zero members are not sent.
type ListPostureChecksParams struct {
	ListParams
	RoleFilter   []string // Roles: #attribute or @id; may be repeated.
	RoleSemantic string   // AllOf (default) or AnyOf.
}

func (p *ListPostureChecksParams) add(q url.Values, h http.Header) {
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

// StreamEventsParams are the parameters of streamEvents; zero members are not sent.
type StreamEventsParams struct {
	ListParams
	Type         []string // Types of events; may be repeated. All but trace and audit when absent.
	Include      []string // Kinds of events of the one type that is asked for.
	Interval     string   // Of entityCount: time between two events, such as 1m.
	MetricFilter string   // Of metrics: regular expression that NAME.VALUE matches.
	SourceFilter string   // Of metrics: regular expression that the id of the process matches.
	UsageVersion int64    // Of usage: 2 or 3 (default).
}

func (p *StreamEventsParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.Type {
		q.Add("type", v)
	}
	for _, v := range p.Include {
		q.Add("include", v)
	}
	if p.Interval != "" {
		q.Set("interval", p.Interval)
	}
	if p.MetricFilter != "" {
		q.Set("metricFilter", p.MetricFilter)
	}
	if p.SourceFilter != "" {
		q.Set("sourceFilter", p.SourceFilter)
	}
	if p.UsageVersion != 0 {
		q.Set("usageVersion", strconv.FormatInt(p.UsageVersion, 10))
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

// ExplainParams are the parameters of explain; zero members are not sent.
type ExplainParams struct {
	Identity string // Id or name of the identity.
	Service  string // Id or name of the service.
	Type     string // dial (default) or bind.
	Router   string // Id or name of the edge router to go through; any common one when absent.
}

func (p *ExplainParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.Identity != "" {
		q.Set("identity", p.Identity)
	}
	if p.Service != "" {
		q.Set("service", p.Service)
	}
	if p.Type != "" {
		q.Set("type", p.Type)
	}
	if p.Router != "" {
		q.Set("router", p.Router)
	}
}

// WhoCanParams are the parameters of whoCan; zero members are not sent.
type WhoCanParams struct {
	ListParams
	Service string // Id or name of the service.
	Type    string // dial (default) or bind.
}

func (p *WhoCanParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.Service != "" {
		q.Set("service", p.Service)
	}
	if p.Type != "" {
		q.Set("type", p.Type)
	}
}

// WhatCanParams are the parameters of whatCan; zero members are not sent.
type WhatCanParams struct {
	ListParams
	Identity string // Id or name of the identity.
	Type     string // dial or bind; both when absent.
}

func (p *WhatCanParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	if p.Identity != "" {
		q.Set("identity", p.Identity)
	}
	if p.Type != "" {
		q.Set("type", p.Type)
	}
}

// ExportModelParams are the parameters of exportModel; zero members are not sent.
type ExportModelParams struct {
	ListParams
	Kind     []string // Sections of the declaration, such as services; may be repeated.
	Selector string   // Tag that the entities carry: key=value, several with commas.
	System   bool     // Also what every network has: the default admin, built-in config types and auth policy.
	Format   string   // yaml (default) or json.
}

func (p *ExportModelParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	p.ListParams.add(q, h)
	for _, v := range p.Kind {
		q.Add("kind", v)
	}
	if p.Selector != "" {
		q.Set("selector", p.Selector)
	}
	if p.System {
		q.Set("system", "true")
	}
	if p.Format != "" {
		q.Set("format", p.Format)
	}
}

// DiffDeclarationParams are the parameters of diffDeclaration; zero members are not sent.
type DiffDeclarationParams struct {
	Kind     []string // Sections of the declaration, such as services; may be repeated.
	Selector string   // Tag that the entities carry: key=value, several with commas.
	Prune    bool     // Delete what is not declared: of the kinds named, else of those that the selector or the declaration names.
	Name     string   // File name for refusals, for a body that is the declaration itself.
}

func (p *DiffDeclarationParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	for _, v := range p.Kind {
		q.Add("kind", v)
	}
	if p.Selector != "" {
		q.Set("selector", p.Selector)
	}
	if p.Prune {
		q.Set("prune", "true")
	}
	if p.Name != "" {
		q.Set("name", p.Name)
	}
}

// ApplyDeclarationParams are the parameters of applyDeclaration; zero members are not sent.
type ApplyDeclarationParams struct {
	Kind     []string // Sections of the declaration, such as services; may be repeated.
	Selector string   // Tag that the entities carry: key=value, several with commas.
	Prune    bool     // Delete what is not declared: of the kinds named, else of those that the selector or the declaration names.
	Name     string   // File name for refusals, for a body that is the declaration itself.
	DryRun   bool     // Check and report everything, change nothing.
}

func (p *ApplyDeclarationParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	for _, v := range p.Kind {
		q.Add("kind", v)
	}
	if p.Selector != "" {
		q.Set("selector", p.Selector)
	}
	if p.Prune {
		q.Set("prune", "true")
	}
	if p.Name != "" {
		q.Set("name", p.Name)
	}
	if p.DryRun {
		q.Set("dryRun", "true")
	}
}

// ExposeServiceParams are the parameters of exposeService; zero members are not sent.
type ExposeServiceParams struct {
	DryRun bool // Check and report everything, change nothing.
}

func (p *ExposeServiceParams) add(q url.Values, h http.Header) {
	if p == nil {
		return
	}
	if p.DryRun {
		q.Set("dryRun", "true")
	}
}
