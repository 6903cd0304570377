package conf

import (
	"strconv"
	"time"
)

// DataOptions tune the end of a circuit that the router keeps: for a connection
// or source of datagrams of its own listeners and dialers, and for clients that
// leave flow control to it. Zero leaves a choice to the end, which adapts.
type DataOptions struct {
	MTU         int     `conf:"mtu" default:"0" min:"0" max:"65535" doc:"most bytes of a payload: reads are cut to it, datagrams and messages of clients go in chunks that the other end puts together; 0: what a read brings, up to 65536, at least 64 otherwise"`
	WindowStart int     `conf:"txPortalStartSize" default:"0" min:"0" max:"67108864" doc:"bytes of the send window at first; 0: 65536"`
	WindowMin   int     `conf:"txPortalMinSize" default:"0" min:"0" max:"67108864" doc:"bytes that the send window never shrinks below; 0: 16384"`
	WindowMax   int     `conf:"txPortalMaxSize" default:"0" min:"0" max:"67108864" doc:"bytes that the send window never grows above, and that the other end may hold unread while something is sent; more than 4194304 only if rxBufferSize of the other end is as large; 0: 4194304"`
	GrowAfter   int     `conf:"txPortalIncreaseThresh" default:"0" min:"0" max:"1000000" doc:"acknowledged payloads per growth of the send window; 0: it grows when it was the limit for a whole window and no queue builds up on the way"`
	GrowBy      float64 `conf:"txPortalIncreaseScale" default:"0" min:"0" max:"100" doc:"share of the bytes acknowledged since the last growth, or of the window where it decides itself when to grow, that a growth adds; 0: all"`
	ShrinkAfter int     `conf:"txPortalRetxThresh" default:"0" min:"0" max:"1000000" doc:"payloads sent again per shrinking of the send window; 0: it shrinks when a payload is sent again for its age, once until something is acknowledged"`
	ShrinkTo    float64 `conf:"txPortalRetxScale" default:"0" min:"0" max:"1" doc:"what a shrinking leaves of the send window; 0: 0.75"`
	Duplicates  int     `conf:"txPortalDupAckThresh" default:"0" min:"0" max:"1000000" doc:"repeated acknowledgements after which retxScale counts as 0.2 more, of which each growth of the window takes 0.01 back; 0: never"`
	_           float64 `conf:"txPortalDupAckScale" inert:"the ecosystem ignores it too"`

	ReceiveBuffer int `conf:"rxBufferSize" default:"0" min:"0" max:"134217728" doc:"bytes stored for the local side; when there are more, nothing new is taken and the other end has to send it again; 0: twice txPortalMaxSize"`

	RetxStart    time.Duration `conf:"retxStartMs" default:"0" min:"0" max:"60000" unit:"ms" doc:"age at which a payload without an acknowledgement is sent again before a round trip is measured; 0: 1000"`
	RetxScale    float64       `conf:"retxScale" default:"0" min:"0" max:"100" doc:"afterwards it is the round trip times this, at least 1, plus retxAddMs, and never less than 50 ms; 0: 3, and never less than 1000 ms without retxAddMs"`
	RetxAdd      time.Duration `conf:"retxAddMs" default:"0" min:"0" max:"60000" unit:"ms" doc:"added to the age at which a payload is sent again"`
	RetxMax      time.Duration `conf:"retxMaxMs" default:"10000" min:"0" unit:"ms" doc:"most of that age; 0: no limit"`
	MaxRoundTrip int           `conf:"maxRttScale" default:"0" min:"0" max:"1000" doc:"a measured round trip counts as at most so many times the usual one; 1 is 2; 0: no limit"`
	_            any           `conf:"retransmission" inert:"the ecosystem ignores it too"`
	_            any           `conf:"getSessionTimeout" inert:"the ecosystem ignores it too"`

	TxQueue     int           `conf:"txQueueSize" default:"0" min:"0" max:"16" clamp:"bound" doc:"payloads of a stream that are taken out of the receive buffer for the local connection at once; 0: 16, the most"`
	CloseWait   time.Duration `conf:"maxCloseWaitMs" default:"30000" min:"0" max:"3600000" unit:"ms" doc:"how long a closing circuit waits for acknowledgements, and a local connection for the rest of its data; 0: not at all"`
	RandomDrops bool          `conf:"randomDrops" default:"false" doc:"test aid: received payloads are dropped at random; the other end has to send them again"`
	DropOne     int           `conf:"drop1InN" default:"100" min:"2" max:"1000000" doc:"randomDrops: one of so many payloads"`
}

// checkData refuses what the bounds of single keys let pass.
func (o *DataOptions) checkData(c *Checker, path string) {
	if o.MTU > 0 && o.MTU < 64 {
		c.Refuse(path+".mtu", "expected 0 or 64 to 65535, found "+strconv.Itoa(o.MTU), "")
	}
	if o.RetxScale > 0 && o.RetxScale < 1 {
		c.Refuse(path+".retxScale", "less than 1 sends everything twice, before its acknowledgement can be there", "write 1 to 100, or 0")
	}
	most, start := o.WindowMax, o.WindowStart
	if most == 0 {
		most = 4 << 20
	}
	if start > most {
		c.Refuse(path+".txPortalStartSize", "is larger than txPortalMaxSize, "+strconv.Itoa(most), "make txPortalMaxSize at least as large")
	}
	if o.WindowMin > most {
		c.Refuse(path+".txPortalMinSize", "is larger than txPortalMaxSize, "+strconv.Itoa(most), "make it smaller")
	}
	if start > 0 && start < o.WindowMin {
		c.Refuse(path+".txPortalStartSize", "is smaller than txPortalMinSize, "+strconv.Itoa(o.WindowMin), "make it at least as large")
	}
}
