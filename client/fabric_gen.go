// Code generated from the operation table by client/internal/gen. DO NOT EDIT.

package client

import "context"

// ListRouters lists routers.
func (a *Fabric) ListRouters(ctx context.Context, p *ListParams) (*Page[FabricRouter], error) {
	return list[FabricRouter](ctx, a.c, call{method: "GET", path: "/fabric/v1/routers", params: p})
}

// DetailRouter shows one router.
func (a *Fabric) DetailRouter(ctx context.Context, id string) (*FabricRouter, error) {
	return detail[FabricRouter](ctx, a.c, call{method: "GET", path: "/fabric/v1/routers/" + segment(id)})
}

// CreateRouter creates one transit router with the id and the certificate of the caller's choice; without a certificate it gets an enrollment.
func (a *Fabric) CreateRouter(ctx context.Context, body *FabricRouterInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/fabric/v1/routers", body: body})
}

// UpdateRouter replaces every settable member of one router; members left out get their defaults.
func (a *Fabric) UpdateRouter(ctx context.Context, id string, body *FabricRouterInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/fabric/v1/routers/" + segment(id), body: body})
}

// PatchRouter changes the given members of one router; null leaves a member as it is.
func (a *Fabric) PatchRouter(ctx context.Context, id string, body *FabricRouterInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/fabric/v1/routers/" + segment(id), body: body})
}

// DeleteRouter deletes one router.
func (a *Fabric) DeleteRouter(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/fabric/v1/routers/" + segment(id)})
}

// ListRouterTerminators lists the terminators of one router.
func (a *Fabric) ListRouterTerminators(ctx context.Context, id string, p *ListParams) (*Page[FabricTerminator], error) {
	return list[FabricTerminator](ctx, a.c, call{method: "GET", path: "/fabric/v1/routers/" + segment(id) + "/terminators", params: p})
}

// ListServices lists services.
func (a *Fabric) ListServices(ctx context.Context, p *ListParams) (*Page[FabricService], error) {
	return list[FabricService](ctx, a.c, call{method: "GET", path: "/fabric/v1/services", params: p})
}

// DetailService shows one service.
func (a *Fabric) DetailService(ctx context.Context, id string) (*FabricService, error) {
	return detail[FabricService](ctx, a.c, call{method: "GET", path: "/fabric/v1/services/" + segment(id)})
}

// CreateService creates one service that does not require encryption.
func (a *Fabric) CreateService(ctx context.Context, body *FabricServiceInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/fabric/v1/services", body: body})
}

// UpdateService replaces every settable member of one service; members left out get their defaults.
func (a *Fabric) UpdateService(ctx context.Context, id string, body *FabricServiceInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/fabric/v1/services/" + segment(id), body: body})
}

// PatchService changes the given members of one service; null leaves a member as it is.
func (a *Fabric) PatchService(ctx context.Context, id string, body *FabricServiceInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/fabric/v1/services/" + segment(id), body: body})
}

// DeleteService deletes one service.
func (a *Fabric) DeleteService(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/fabric/v1/services/" + segment(id)})
}

// ListServiceTerminators lists the terminators of one service.
func (a *Fabric) ListServiceTerminators(ctx context.Context, id string, p *ListParams) (*Page[FabricTerminator], error) {
	return list[FabricTerminator](ctx, a.c, call{method: "GET", path: "/fabric/v1/services/" + segment(id) + "/terminators", params: p})
}

// ListTerminators lists terminators.
func (a *Fabric) ListTerminators(ctx context.Context, p *ListParams) (*Page[FabricTerminator], error) {
	return list[FabricTerminator](ctx, a.c, call{method: "GET", path: "/fabric/v1/terminators", params: p})
}

// DetailTerminator shows one terminator.
func (a *Fabric) DetailTerminator(ctx context.Context, id string) (*FabricTerminator, error) {
	return detail[FabricTerminator](ctx, a.c, call{method: "GET", path: "/fabric/v1/terminators/" + segment(id)})
}

// CreateTerminator creates one terminator.
func (a *Fabric) CreateTerminator(ctx context.Context, body *FabricTerminatorInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/fabric/v1/terminators", body: body})
}

// UpdateTerminator replaces every settable member of one terminator; members left out get their defaults.
func (a *Fabric) UpdateTerminator(ctx context.Context, id string, body *FabricTerminatorInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/fabric/v1/terminators/" + segment(id), body: body})
}

// PatchTerminator changes the given members of one terminator; null leaves a member as it is.
func (a *Fabric) PatchTerminator(ctx context.Context, id string, body *FabricTerminatorInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/fabric/v1/terminators/" + segment(id), body: body})
}

// DeleteTerminator deletes one terminator.
func (a *Fabric) DeleteTerminator(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/fabric/v1/terminators/" + segment(id)})
}

// ListLinks lists links.
func (a *Fabric) ListLinks(ctx context.Context, p *ListParams) (*Page[FabricLink], error) {
	return list[FabricLink](ctx, a.c, call{method: "GET", path: "/fabric/v1/links", params: p})
}

// DetailLink shows one link.
func (a *Fabric) DetailLink(ctx context.Context, id string) (*FabricLink, error) {
	return detail[FabricLink](ctx, a.c, call{method: "GET", path: "/fabric/v1/links/" + segment(id)})
}

// PatchLink changes the given members of one link; null leaves a member as it is.
func (a *Fabric) PatchLink(ctx context.Context, id string, body *FabricLinkInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/fabric/v1/links/" + segment(id), body: body})
}

// DeleteLink closes one link; circuits move to other paths, and the router that dialed it may dial it anew.
func (a *Fabric) DeleteLink(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/fabric/v1/links/" + segment(id)})
}

// ListCircuits lists circuits.
func (a *Fabric) ListCircuits(ctx context.Context, p *ListParams) (*Page[Circuit], error) {
	return list[Circuit](ctx, a.c, call{method: "GET", path: "/fabric/v1/circuits", params: p})
}

// DetailCircuit shows one circuit.
func (a *Fabric) DetailCircuit(ctx context.Context, id string) (*Circuit, error) {
	return detail[Circuit](ctx, a.c, call{method: "GET", path: "/fabric/v1/circuits/" + segment(id)})
}

// DeleteCircuit ends one circuit at every router of its path.
func (a *Fabric) DeleteCircuit(ctx context.Context, id string, body *CircuitDelete) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/fabric/v1/circuits/" + segment(id), body: body})
}

// Inspect asks this controller and connected routers whose id or name matches about themselves; unknown keys have no value.
func (a *Fabric) Inspect(ctx context.Context, body *InspectRequest) (*Inspection, error) {
	return plain[Inspection](ctx, a.c, call{method: "POST", path: "/fabric/v1/inspections", body: body})
}

// ShowPath shows which path new circuits from one router to another would take, or why there is none.
func (a *Fabric) ShowPath(ctx context.Context, p *ShowPathParams) (*PathAdvice, error) {
	return detail[PathAdvice](ctx, a.c, call{method: "GET", path: "/fabric/v1/paths", params: p})
}

// CreateDatabaseSnapshot writes a snapshot of the state to a file beside the controller's data, at most one a minute.
func (a *Fabric) CreateDatabaseSnapshot(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/database"})
}

// CreateDatabaseSnapshotWithPath writes a snapshot of the state to a file on the controller's host, at most one a minute.
func (a *Fabric) CreateDatabaseSnapshotWithPath(ctx context.Context, body *SnapshotRequest) (*SnapshotResult, error) {
	return detail[SnapshotResult](ctx, a.c, call{method: "POST", path: "/fabric/v1/database/snapshot", body: body})
}

// CheckDataIntegrity starts a check of the state in the background: references, unique values, and what belongs to nothing.
func (a *Fabric) CheckDataIntegrity(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/database/check-data-integrity"})
}

// FixDataIntegrity starts a check of the state in the background that mends what it finds.
func (a *Fabric) FixDataIntegrity(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/database/fix-data-integrity"})
}

// DataIntegrityResults shows what the last check of the state has found.
func (a *Fabric) DataIntegrityResults(ctx context.Context) (*IntegrityResults, error) {
	return detail[IntegrityResults](ctx, a.c, call{method: "GET", path: "/fabric/v1/database/data-integrity-results"})
}

// ClusterListMembers lists the members of the cluster.
func (a *Fabric) ClusterListMembers(ctx context.Context) (*ClusterMembers, error) {
	return plain[ClusterMembers](ctx, a.c, call{method: "GET", path: "/fabric/v1/cluster/list-members"})
}

// ClusterMemberAdd adds a controller to the cluster.
func (a *Fabric) ClusterMemberAdd(ctx context.Context, body *ClusterMemberAdd) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/cluster/add-member", body: body})
}

// ClusterMemberRemove removes a member from the cluster; an unknown one is no error.
func (a *Fabric) ClusterMemberRemove(ctx context.Context, body *ClusterMemberRemove) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/cluster/remove-member", body: body})
}

// ClusterTransferLeadership hands the leadership over to another voter.
func (a *Fabric) ClusterTransferLeadership(ctx context.Context, body *ClusterTransferLeadership) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/fabric/v1/cluster/transfer-leadership", body: body})
}

// ShowSwagger returns the OpenAPI document of this API.
func (a *Fabric) ShowSwagger(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/fabric/v1/swagger.json"})
}

// ShowOpenAPI returns the OpenAPI document of this API.
func (a *Fabric) ShowOpenAPI(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/fabric/v1/openapi.json"})
}

// ShowDocs returns the description of this API as a page to read.
func (a *Fabric) ShowDocs(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/fabric/v1/docs"})
}
