package api

import "time"

// SnapshotRequest names the file of a snapshot.
type SnapshotRequest struct {
	// The file on the controller's host, relative to its working directory.
	// DATE, TIME, DB_DIR, DB_FILE and RAFT_INDEX, also between two underscores
	// on each side, are replaced. The default is the usual name beside the data.
	Path *string `json:"path,omitempty" api:"max=4096"`
}

// SnapshotResult tells where a snapshot was written.
type SnapshotResult struct {
	Path string `json:"path"` // on the controller's host
}

// IntegrityResults are the findings of the last check of the state.
type IntegrityResults struct {
	EndTime       time.Time          `json:"endTime"` // zero while it runs
	Error         *string            `json:"error"`   // why the check could not be finished
	FixingErrors  bool               `json:"fixingErrors"`
	InProgress    bool               `json:"inProgress"`
	Results       []IntegrityFinding `json:"results" api:"null"` // at most 1000
	StartTime     time.Time          `json:"startTime"`          // zero if none ever ran
	TooManyErrors bool               `json:"tooManyErrors"`      // there are more than results
}

// IntegrityFinding is one thing that is wrong with the state.
type IntegrityFinding struct {
	Description string `json:"description"`
	Fixed       bool   `json:"fixed"`
}

func database() []Operation {
	const tag = "Database"
	op := func(a API, method, path, id, doc string, r Result) Operation {
		return Operation{API: a, Method: method, Path: "/database" + path, ID: id, Tag: tag, Doc: doc, Access: Access{Rule: Admin}, Result: r}
	}
	const snapshot = "Writes a snapshot of the state to a file beside the controller's data, at most one a minute."
	to := op(Fabric, "POST", "/snapshot", "createDatabaseSnapshotWithPath", "Writes a snapshot of the state to a file on the controller's host, at most one a minute.", detailOf[SnapshotResult]())
	to.Body = body[SnapshotRequest]("snapshot", Create)
	to.Body.Required = false
	return []Operation{
		op(Management, "POST", "/snapshot", "createDatabaseSnapshot", snapshot, nothing()),
		op(Fabric, "POST", "", "createDatabaseSnapshot", snapshot, nothing()),
		to,
		op(Management|Fabric, "POST", "/check-data-integrity", "checkDataIntegrity",
			"Starts a check of the state in the background: references, unique values, and what belongs to nothing.", accepted()),
		op(Management|Fabric, "POST", "/fix-data-integrity", "fixDataIntegrity",
			"Starts a check of the state in the background that mends what it finds.", accepted()),
		op(Management|Fabric, "GET", "/data-integrity-results", "dataIntegrityResults",
			"Shows what the last check of the state has found.", detailOf[IntegrityResults]()),
	}
}

func accepted() Result { return Result{Nothing, nil, 202} }
