package http

import (
	"container/heap"
	"iter"
	"slices"
	"strconv"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/query"
)

// listing is one kind of list: what it holds, how it is filtered and what an
// entry looks like. D is the entry as the API shows it.
type listing[T, D any] struct {
	table *table[T]
	// shape fills d, which is zero, from e.
	shape func(c *call, d *D, e *T)
	// unnamed leaves the names of the filterable fields out of the answer.
	unnamed bool
	// unlimited makes all entries the default page.
	unlimited bool
}

// page is what one request asks of a list.
type page struct {
	prog          *query.Program
	limit, offset int64
}

// queryParams are the parameters that every list takes.
type queryParams struct {
	filter, sort  string
	limit, offset *int64
}

func (c *call) queryParams() (queryParams, error) {
	if c.r.URL.RawQuery == "" {
		return queryParams{}, nil
	}
	q := c.r.URL.Query()
	p := queryParams{filter: q.Get("filter"), sort: q.Get("sort")}
	var err error
	if p.limit, err = intParam(q["limit"], "limit"); err != nil {
		return p, err
	}
	p.offset, err = intParam(q["offset"], "offset")
	return p, err
}

func intParam(values []string, name string) (*int64, error) {
	if len(values) == 0 || values[0] == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return nil, fault.CouldNotValidate.Field(name, name+" in query must be of type int64: \""+values[0]+"\"", values[0])
	}
	return &n, nil
}

func (l *listing[T, D]) page(c *call) (page, error) {
	p, err := c.queryParams()
	if err != nil {
		return page{}, err
	}
	prog, err := query.Compile(l.table.schema, p.filter, p.sort)
	if err != nil {
		return page{}, err
	}
	if l.unlimited && p.limit == nil {
		all := int64(-1)
		p.limit = &all
	}
	limit, offset := prog.Page(p.limit, p.offset)
	return page{prog, limit, offset}, nil
}

// maxSteps bounds the values that filters and orders of one request look at: a
// second of work or so. Elements of lists count each.
const maxSteps = 1 << 25

// tooMuch refuses to look any further.
func (c *call) tooMuch() error {
	if c.steps <= c.s.maxSteps {
		return nil
	}
	return fault.InvalidFilter.Field("filter", "the filter and the order look at more than "+strconv.Itoa(c.s.maxSteps)+" values", "").
		WithRemedy("ask with fewer conditions, or for fewer entities by an id, a name or a role attribute")
}

// source are the candidates of a list in the order of their ids. all reports
// how many there are where that is known without walking them, else -1.
type source[T any] struct {
	each iter.Seq[*T]
	all  int
}

// answer filters, orders and cuts the candidates and writes the page.
func (l *listing[T, D]) answer(c *call, p page, src source[T]) error {
	if src.each == nil {
		src.each = func(func(*T) bool) {}
	}
	out := &pageWriter[T, D]{l: l, c: c, p: p, b: append(c.out[:0], `{"data":[`...)}
	switch {
	case p.prog.Sorted():
		if err := l.sorted(c, p, src, out); err != nil {
			return err
		}
	case p.prog.All() && src.all >= 0:
		l.unfiltered(p, src, out)
	default:
		r := row[T]{t: l.table, c: c}
		for e := range src.each {
			if r.e = e; p.prog.Match(&r) {
				out.add(e)
			}
			if err := c.tooMuch(); err != nil {
				return err
			}
		}
	}
	c.out = out.finish()
	c.send(200)
	return nil
}

// unfiltered stops as soon as the page is full.
func (l *listing[T, D]) unfiltered(p page, src source[T], out *pageWriter[T, D]) {
	if p.limit > 0 && p.offset < int64(src.all) {
		for e := range src.each {
			if out.add(e); out.seen-p.offset >= p.limit {
				break
			}
		}
	}
	out.seen = int64(src.all)
}

// sorted keeps no more than the entries up to the end of the page in order.
func (l *listing[T, D]) sorted(c *call, p page, src source[T], out *pageWriter[T, D]) error {
	a, b := row[T]{t: l.table, c: c}, row[T]{t: l.table, c: c}
	top := topHeap[T]{compare: func(x, y *T) int {
		a.e, b.e = x, y
		return p.prog.Compare(&a, &b)
	}}
	keep := int64(1 << 62)
	if p.limit < 1<<60 {
		keep = p.offset + p.limit
	}
	r := row[T]{t: l.table, c: c}
	var total int64
	for e := range src.each {
		if err := c.tooMuch(); err != nil {
			return err
		}
		if r.e = e; !p.prog.Match(&r) {
			continue
		}
		total++
		switch {
		case int64(len(top.items)) < keep:
			top.items = append(top.items, e)
			if int64(len(top.items)) == keep {
				heap.Init(&top)
			}
		case keep > 0 && top.compare(e, top.items[0]) < 0:
			top.items[0] = e
			heap.Fix(&top, 0)
		}
	}
	slices.SortFunc(top.items, top.compare)
	for _, e := range top.items {
		out.add(e)
	}
	out.seen = total
	return nil
}

// topHeap keeps the greatest of the kept entries at its root.
type topHeap[T any] struct {
	items   []*T
	compare func(x, y *T) int
}

func (h *topHeap[T]) Len() int           { return len(h.items) }
func (h *topHeap[T]) Less(i, j int) bool { return h.compare(h.items[i], h.items[j]) > 0 }
func (h *topHeap[T]) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *topHeap[T]) Push(x any)         { h.items = append(h.items, x.(*T)) }
func (h *topHeap[T]) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}

// pageWriter counts matches and writes those on the page.
type pageWriter[T, D any] struct {
	l       *listing[T, D]
	c       *call
	p       page
	b       []byte
	d       D
	seen    int64
	written int64
}

func (w *pageWriter[T, D]) add(e *T) {
	w.seen++
	if w.seen <= w.p.offset || w.written >= w.p.limit {
		return
	}
	if w.written > 0 {
		w.b = append(w.b, ',')
	}
	w.written++
	var zero D
	w.d = zero
	w.l.shape(w.c, &w.d, e)
	w.b = w.c.ep.encode.Append(w.b, &w.d)
}

func (w *pageWriter[T, D]) finish() []byte {
	b := append(w.b, `],"meta":{`...)
	if !w.l.unnamed {
		b = append(append(b, `"filterableFields":`...), w.l.table.names...)
		b = append(b, ',')
	}
	return append(appendPagination(b, w.p.limit, w.p.offset, w.seen), "}}\n"...)
}

func appendPagination(b []byte, limit, offset, total int64) []byte {
	b = append(b, `"pagination":{"limit":`...)
	b = strconv.AppendInt(b, limit, 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, offset, 10)
	b = append(b, `,"totalCount":`...)
	b = strconv.AppendInt(b, total, 10)
	return append(b, '}')
}
