package conf

import "time"

// ChannelOptions tune the message connections of a listener.
type ChannelOptions struct {
	OutQueueSize           float64       `conf:"outQueueSize" default:"4" min:"0" max:"1000000" doc:"edge: messages that wait in front of a connection, at least 64; 0 and 4, which generated files have, leave it at 1 MiB of them, which holds in any case"`
	MaxQueuedConnects      int           `conf:"maxQueuedConnects" default:"1" min:"1" max:"5000" doc:"edge: hellos that may be due besides maxOutstandingConnects"`
	MaxOutstandingConnects int           `conf:"maxOutstandingConnects" default:"16" min:"1" max:"1000" doc:"edge: hellos in progress at once; above it and maxQueuedConnects further ones wait, and after 1 s take the place of the oldest; 16 with maxQueuedConnects 1, which generated files have, leaves it at 256 altogether"`
	HelloTimeout           time.Duration `conf:"connectTimeoutMs" default:"5000" min:"30" max:"60000" unit:"ms" doc:"time for a hello"`
	WriteTimeout           time.Duration `conf:"writeTimeout" default:"0s" min:"0s" doc:"a write that takes longer closes the connection; 0 never does"`
}

// Hellos returns how many hellos may be due at once.
func (o ChannelOptions) Hellos() int { return hellos(o.MaxOutstandingConnects, o.MaxQueuedConnects) }

// Queue returns the bound of a send queue in messages, 0 for none.
func (o ChannelOptions) Queue() int { return queue(o.OutQueueSize, 64) }

// hellos leaves the values of generated files, which suit another way to accept,
// at what silent connections cannot use up.
func hellos(outstanding, queued int) int {
	if outstanding == 16 && queued == 1 {
		return 256
	}
	return outstanding + queued
}

func queue(size float64, least int) int {
	if size == 0 || size == 4 {
		return 0
	}
	return max(least, int(size))
}
