package api

import "time"

// AuditRecord is one change of one entity: who made it, from where, and what it
// changed. Secrets are shown as ***.
type AuditRecord struct {
	Action        string    `json:"action" api:"enum=created|updated|deleted|missed"` // missed: entries of the log that could not be recorded
	After         Raw       `json:"after"`                                            // members that changed as they are now, all of a new entity; null for none
	At            time.Time `json:"at"`
	Auth          string    `json:"auth"`       // how the author proved itself: edge for a login session
	AuthorID      string    `json:"authorId"`   // identity, router or controller
	AuthorName    string    `json:"authorName"` // at that time
	AuthorType    string    `json:"authorType" api:"enum=identity|router|controller|cert|unattributed"`
	Before        Raw       `json:"before"`          // members that changed as they were, all of a deleted entity; null for none
	Count         int64     `json:"count,omitempty"` // of missed entries
	EntityID      string    `json:"entityId"`
	EntityName    string    `json:"entityName"`
	EntityType    string    `json:"entityType"` // such as service
	ID            string    `json:"id"`
	Index         int64     `json:"index"` // of the replicated log; what one request changes has the same
	LocalAddress  string    `json:"localAddress"`
	Operation     string    `json:"operation"` // of the APIs, or what a process does
	RemoteAddress string    `json:"remoteAddress"`
	SessionID     string    `json:"sessionId"` // API session
	Source        string    `json:"source"`    // interface: rest, control or internal
}

// ValidationRequest is what to check.
type ValidationRequest struct {
	Controller        *bool   `json:"controller,omitempty"`            // with router-data-model: this controller too
	Filter            *string `json:"filter,omitempty" api:"max=4096"` // of routers, or of terminators, in the filter language; default all
	Fix               *bool   `json:"fix,omitempty"`                   // mend what can be mended: terminators, router-data-model
	IdentityFilter    *string `json:"identityFilter,omitempty" api:"max=4096"`
	Kind              *string `json:"kind" api:"req=c,enum=terminators|router-links|router-sdk-terminators|router-ert-terminators|router-data-model|identity-connection-statuses|circuits|controller-dialers"`
	PerHost           *int    `json:"perHost,omitempty" api:"min=0"`           // terminators that every host should have
	PerServiceAndHost *int    `json:"perServiceAndHost,omitempty" api:"min=0"` // the same of one service
}

// Validation is the result of a check.
type Validation struct {
	Details []ValidationDetail `json:"details"`
	Kind    string             `json:"kind"`
	Valid   bool               `json:"valid"`
}

// ValidationDetail is the result for one router, controller, terminator or host.
type ValidationDetail struct {
	Errors  []string         `json:"errors"`
	Fixed   bool             `json:"fixed"`
	ID      string           `json:"id"`
	Items   []ValidationItem `json:"items"`
	Message string           `json:"message"`
	Name    string           `json:"name"`
	OK      bool             `json:"ok"` // it could be asked; of a terminator: it is valid
	Type    string           `json:"type" api:"enum=router|controller|terminator|host"`
}

// ValidationItem is one link, terminator or circuit of a router.
type ValidationItem struct {
	ControllerState string   `json:"controllerState"`
	ID              string   `json:"id"`
	Messages        []string `json:"messages"`
	RouterState     string   `json:"routerState"`
	Valid           bool     `json:"valid"`
}

// observing returns the rows of audit, events and checks, which are Weft's own.
func observing() []Operation {
	const tag = "Observe"
	text := func(name, doc string) Param { return Param{Name: name, In: "query", Type: "string", Doc: doc} }
	return []Operation{
		{API: Management, Method: "GET", Path: "/audit", ID: "listAudit", Tag: tag, Own: true,
			Doc:    "Lists records of changes, the newest first.",
			Access: Access{Rule: AdminOrReadonly}, Params: paging(), Result: listOf[AuditRecord]()},
		{API: Management, Method: "GET", Path: "/events", ID: "streamEvents", Tag: tag, Own: true,
			Doc: "Streams events as they happen, as server-sent events whose data is one JSON object each, until the client closes. " +
				"A client that is too slow gets an event of type end with the reason.",
			Access: Access{EntityAccess, "ops", "read"}, Produces: []string{"text/event-stream"}, Result: Result{Shape: Text, Status: 200},
			Params: []Param{
				{Name: "type", In: "query", Type: "array", Doc: "Types of events; may be repeated. All but trace and audit when absent."},
				text("filter", "Filter in the filter language over the members of events, such as event_type = \"created\" and tags.serviceId = \"x\"."),
				{Name: "include", In: "query", Type: "array", Doc: "Kinds of events of the one type that is asked for."},
				text("interval", "Of entityCount: time between two events, such as 1m."),
				text("metricFilter", "Of metrics: regular expression that NAME.VALUE matches."),
				text("sourceFilter", "Of metrics: regular expression that the id of the process matches."),
				{Name: "usageVersion", In: "query", Type: "integer", Doc: "Of usage: 2 or 3 (default)."},
			}},
		{API: Management, Method: "POST", Path: "/validate", ID: "validate", Tag: tag, Own: true,
			Doc:    "Checks whether what the controller knows agrees with what its routers have.",
			Access: Access{EntityAccessNoReadonly, "ops", "update"}, Body: body[ValidationRequest]("request", Create), Result: detailOf[Validation]()},
	}
}
