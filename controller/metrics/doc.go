// Package metrics shows what a controller measures, and what its routers report
// of themselves, in the text format of Prometheus.
//
// Measurements have names: those of the ecosystem, such as link.<id>.latency or
// ctrl.latency:<router id>, become ziti_link_latency{link_id="..."}; names of our
// own begin with weft. and become weft_. The Catalogue says what there is.
package metrics
