package policy

// class holds the entities of one kind. Entities with the same attributes form
// a group; which policies contain them by attribute is kept once per group.
type class struct {
	subjects table[*subject]
	groups   list[*group]
	all      [slots]ordinals // policies with #all
	allAt    int64           // Unix nanoseconds of the last change to all
}

// slots is the number of relations that a kind of entity may stand in.
const slots = 3

// subject is one entity, or an id that policies name although it is unknown.
// Subjects and groups are immutable and replaced when they change.
type subject struct {
	entity Entity // nil if unknown
	group  int32  // noGroup if unknown
	direct [slots]ordinals
	at     int64
}

type group struct {
	attributes []string
	policies   [slots]ordinals
	at         int64
}

const noGroup = int32(-1)

func newClass() class { return class{subjects: newTable[*subject]()} }

// find returns a known subject, else nil.
func (c *class) find(id string) *subject {
	if s, ok := c.subjects.get(id); ok && s.entity != nil {
		return s
	}
	return nil
}

// holding returns the policies of a slot that contain a known subject.
func (c *class) holding(s *subject, slot int) holding {
	return holding{c.all[slot], c.groups.at(s.group).policies[slot], s.direct[slot]}
}

// place is where the entities of one side of a relation are kept.
type place struct{ class, slot int }

const (
	identities = iota
	services
	routers
	checks
	classes
)

// sides says where the left and right side of each relation stand.
var sides = [relations][2]place{
	MayDial:    {{identities, 0}, {services, 0}},
	MayBind:    {{identities, 1}, {services, 1}},
	MayUse:     {{identities, 2}, {routers, 0}},
	MayServeBy: {{services, 2}, {routers, 1}},
}

// classOf returns the class of an entity kind.
func classOf(k Kind) (int, bool) {
	switch k {
	case KindIdentity:
		return identities, true
	case KindService:
		return services, true
	case KindRouter:
		return routers, true
	case KindPostureCheck:
		return checks, true
	}
	return 0, false
}
