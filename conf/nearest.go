package conf

import "strings"

// nearest returns the name that differs least from key, or "" when none is
// close enough to be meant.
func nearest(key string, names []string) string {
	best, bestAt := "", max(2, len(key)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(key), strings.ToLower(n)); d < bestAt {
			best, bestAt = n, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
