package api

// RoleAttributeUsage tells who has a role attribute and who asks for it.
type RoleAttributeUsage struct {
	RoleAttribute string                          `json:"roleAttribute"`
	Usage         map[string]RoleAttributeSources `json:"usage"` // by kind, such as identities and servicePolicies
}

// RoleAttributeSources are the entities of one kind.
type RoleAttributeSources struct {
	Count int64    `json:"count"`
	Ids   []string `json:"ids,omitempty"` // when withIds asks for them
}

func roleAttributes() []Operation {
	row := func(name, one, entity string, asking ...string) []Operation {
		list := Operation{API: Management, Method: "GET", Path: "/" + name + "-role-attributes", ID: "list" + one + "RoleAttributes", Tag: "Role Attributes",
			Doc: "Lists the role attributes in use.", Access: Access{EntityAccess, entity, "read"}, Params: paging(), Result: listOf[string]()}
		usage := list
		usage.Path, usage.ID = "/"+name+"-role-attribute-usage", "list"+one+"RoleAttributeUsage"
		usage.Doc = "Lists the role attributes with the number of entities that have them and of policies that ask for them."
		usage.Params = paging(Param{Name: "withIds", In: "query", Type: "boolean", Doc: "Show the ids of those entities."})
		usage.Result = listOf[RoleAttributeUsage]()
		usage.Reads = asking
		return []Operation{list, usage}
	}
	ops := append(row("identity", "Identity", "identity", "service-policy", "edge-router-policy"),
		row("edge-router", "EdgeRouter", "router", "edge-router-policy", "service-edge-router-policy")...)
	return append(append(ops, row("service", "Service", "service", "service-policy", "service-edge-router-policy")...),
		row("posture-check", "PostureCheck", "posture-check", "service-policy")...)
}
