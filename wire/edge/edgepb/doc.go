// Package edgepb is the generated code of edge.proto, the protobuf bodies of
// the edge protocol.
package edgepb

//go:generate protoc --go_out=. --go_opt=paths=source_relative edge.proto
