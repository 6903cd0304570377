package model

// Terminator is one place where a service can be reached: a router, the
// binding that answers there and an address for it.
type Terminator struct {
	Base
	ServiceID       string            `json:"service" weft:"create,update,patch,required,filter"`
	RouterID        string            `json:"router" weft:"create,update,patch,required,filter"`
	Binding         string            `json:"binding" weft:"create,update,patch,required,filter"`
	Address         string            `json:"address" weft:"create,update,patch,required,filter"`
	InstanceID      string            `json:"identity,omitempty" weft:"create,filter=instanceId"`
	InstanceSecret  []byte            `json:"identitySecret,omitempty" weft:"create,secret"`
	Cost            int               `json:"cost,omitempty" weft:"create,update,patch"` // 0..65535
	Precedence      string            `json:"precedence,omitempty" weft:"create,update,patch"`
	HostID          string            `json:"hostId,omitempty" weft:"internal,filter"` // identity that hosts
	SourceCtrl      string            `json:"sourceCtrl,omitempty" weft:"internal,filter"`
	SavedPrecedence string            `json:"savedPrecedence,omitempty" weft:"internal"`
	PeerData        map[uint32][]byte `json:"peerData,omitempty" weft:"internal"` // handed to the dialing side, e.g. the host's public key
}

// Kind returns KindTerminator.
func (*Terminator) Kind() Kind { return KindTerminator }
