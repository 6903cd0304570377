package fault

// Unhandled is any failure that nobody foresaw.
var Unhandled = &Kind{Code: "UNHANDLED", Status: 500, Message: "An unhandled error occurred"}
