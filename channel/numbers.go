package channel

// Content types of the channel layer. All other numbers belong to the
// protocol above.
const (
	TypeHello   int32 = 0
	TypePing    int32 = 1
	TypeResult  int32 = 2
	TypeLatency int32 = 3
)

// Header ids of the channel layer. Ids from HeaderReflectFirst to
// HeaderReflectLast are copied from a request to its reply.
const (
	HeaderConnectionID    int32 = 0   // text
	HeaderReplyFor        int32 = 1   // int32, sequence of the request
	HeaderResultSuccess   int32 = 2   // bool
	HeaderHelloVersion    int32 = 4   // text, five parts separated by |
	HeaderUnderlayType    int32 = 7   // text, UnderlayDefault or UnderlayControl
	HeaderID              int32 = 8   // text, id of the sender
	HeaderIsGrouped       int32 = 9   // bool
	HeaderGroupSecret     int32 = 10  // bytes
	HeaderIsFirstOfGroup  int32 = 11  // bool
	HeaderReflectFirst    int32 = 128 // also the time stamp of a latency probe
	HeaderReflectLast     int32 = 255
	HeaderLatencyTime     int32 = 128 // opaque to the answering side
	UnderlayDefault             = "edge.default"
	UnderlayControl             = "edge.control"
	helloSequence         int32 = -1
	groupSecretSize             = 16
	maxUnderlaysPerGroup        = 8
	maxConnectionIDLength       = 128
)
