// Package edgepb is the generated code of edge.proto, the protobuf bodies of
// the edge protocol.
package edgepb

//go:generate protoc -I ../../.. --go_out=../../.. --go_opt=paths=source_relative wire/edge/edgepb/edge.proto
