package limit

import (
	"container/list"
	"sync"
	"time"
)

// Keyed is a token bucket per key, for example per source address. It keeps a
// bounded number of keys; the one that was quiet longest is forgotten first,
// which can only admit more. It is safe for concurrent use.
type Keyed struct {
	perSecond float64
	burst     float64
	keys      int
	now       func() time.Time

	mu      sync.Mutex
	buckets map[string]*list.Element
	recent  list.List // of *bucket, most recent in front
}

type bucket struct {
	key    string
	tokens float64
	at     time.Time
}

// NewKeyed returns buckets that refill with perSecond tokens and hold burst;
// at most keys of them are kept. A nil now is time.Now.
func NewKeyed(perSecond float64, burst, keys int, now func() time.Time) *Keyed {
	if now == nil {
		now = time.Now
	}
	return &Keyed{
		perSecond: perSecond, burst: float64(burst), keys: max(keys, 1), now: now,
		buckets: make(map[string]*list.Element),
	}
}

// Allow takes a token of key and reports whether there was one.
func (k *Keyed) Allow(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.bucket(key)
	now := k.now()
	b.tokens = min(k.burst, b.tokens+now.Sub(b.at).Seconds()*k.perSecond)
	b.at = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

func (k *Keyed) bucket(key string) *bucket {
	if e, ok := k.buckets[key]; ok {
		k.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	if len(k.buckets) >= k.keys {
		oldest := k.recent.Back()
		k.recent.Remove(oldest)
		delete(k.buckets, oldest.Value.(*bucket).key)
	}
	b := &bucket{key: key, tokens: k.burst, at: k.now()}
	k.buckets[key] = k.recent.PushFront(b)
	return b
}
