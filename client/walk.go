package client

import (
	"context"
	"iter"
)

// pageSize is how many entries All asks for at once; it is the most that
// controllers give.
const pageSize = 500

// All walks a whole list page by page:
//
//	for service, err := range client.All(ctx, client.ListParams{}, m.ListServicePolicies)
//
// The limit of p bounds the number of entries; 0 and -1 are no bound. The walk
// ends with the first error, and after one page if the filter has a skip of its
// own. Entries that come or go meanwhile may be missed.
func All[T any](ctx context.Context, p ListParams, get func(context.Context, *ListParams) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		left := p.Limit
		for {
			p.Limit = pageSize
			if left > 0 {
				p.Limit = min(left, pageSize)
			}
			page, err := get(ctx, &p)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			n := int64(len(page.Items))
			p.Offset += n
			if left > 0 {
				if left -= n; left <= 0 {
					return
				}
			}
			if n == 0 || p.Offset >= page.TotalCount || page.Offset+n != p.Offset {
				return
			}
		}
	}
}
