package api

// ClusterMembers are the members of the cluster. The answer has no meta.
type ClusterMembers struct {
	Data []ClusterMember `json:"data"`
}

// ClusterMember is one controller of the cluster.
type ClusterMember struct {
	Address         string `json:"address"` // where other members reach it
	Connected       bool   `json:"connected"`
	ID              string `json:"id"`
	Leader          bool   `json:"leader"`
	PreferredLeader bool   `json:"preferredLeader,omitempty"`
	ReadOnly        bool   `json:"readOnly"` // of the controller that answers
	Version         string `json:"version"`  // <not connected> where it is not known
	Voter           bool   `json:"voter"`
}

// ClusterMemberAdd names a controller that is to become a member.
type ClusterMemberAdd struct {
	Address *string `json:"address" api:"req=c,max=512"` // tls:host:port
	IsVoter *bool   `json:"isVoter" api:"req=c"`
}

// ClusterMemberRemove names a member that is to leave.
type ClusterMemberRemove struct {
	ID *string `json:"id" api:"req=c,max=512"`
}

// ClusterTransferLeadership names the next leader.
type ClusterTransferLeadership struct {
	NewLeaderID *string `json:"newLeaderId,omitempty" api:"max=512"` // any voter by default
}

func clusterOperations() []Operation {
	op := func(method, path, id, doc string, b *Body, r Result) Operation {
		return Operation{API: Fabric, Method: method, Path: "/cluster/" + path, ID: id, Tag: "Cluster", Doc: doc,
			Access: Access{Rule: Admin}, Body: b, Result: r}
	}
	return []Operation{
		op("GET", "list-members", "clusterListMembers", "Lists the members of the cluster.", nil, Result{Plain, typeOf[ClusterMembers](), 200}),
		op("POST", "add-member", "clusterMemberAdd", "Adds a controller to the cluster.", body[ClusterMemberAdd]("member", Create), nothing()),
		op("POST", "remove-member", "clusterMemberRemove", "Removes a member from the cluster; an unknown one is no error.", body[ClusterMemberRemove]("member", Create), nothing()),
		op("POST", "transfer-leadership", "clusterTransferLeadership", "Hands the leadership over to another voter.", body[ClusterTransferLeadership]("member", Create), nothing()),
	}
}
