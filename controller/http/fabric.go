package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Fabric returns the binding of the fabric API.
func (s *Server) Fabric() Binding {
	return Binding{Name: "fabric", Prefix: api.FabricBase, Handler: s.channelOr(s.handler(api.Fabric, api.FabricBase, func(_, path string) string { return path }))}
}

func (s *Server) fabricHandlers() handlers {
	h := handlers{}
	serve(h, "Router", "Routers", s.fabricRouters)
	serve(h, "Service", "Services", s.fabricServices)
	serve(h, "Terminator", "Terminators", s.fabricTerminators)
	h["updateRouter"], h["updateService"] = s.fabricRouters.replace, s.fabricServices.replace
	t := s.fabricTerminators
	h["createTerminator"], h["updateTerminator"], h["patchTerminator"] = edgeBody(t.create), edgeBody(t.replace), edgeBody(t.patch)
	h["listRouterTerminators"], h["listServiceTerminators"] = t.indexed(state.ByRouter), t.indexed(state.ByService)
	h["listLinks"], h["detailLink"], h["patchLink"], h["deleteLink"] = s.fabricLinks()
	h["listCircuits"], h["detailCircuit"], h["deleteCircuit"] = s.circuits()
	h["inspect"], h["showPath"] = s.inspect, s.showPath
	s.databaseHandlers(h)
	s.clusterHandlers(h)
	s.specHandlers(h)
	return h
}

func (c *call) fabricRouterRef(id string) api.Ref {
	return c.ref(c.s.links.fabricRouter, model.KindEdgeRouter, id)
}

// selfRef is a reference to something that has no name but its id.
func selfRef(set *api.LinkSet, id string) api.Ref {
	return api.Ref{Links: api.Links{Set: set, ID: id}, Entity: set.Plural, ID: id, Name: id}
}
