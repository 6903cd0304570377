package app

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/weftnet/weft/conf"
)

// TestActiveKeysAreRead looks for every key that the schema of a configuration
// declares active: the assembly, or the schema's own checks, have to read its
// field. It compares names only, so it finds what nobody reads, not what is
// read wrongly.
func TestActiveKeysAreRead(t *testing.T) {
	read := selectors(t, ".", "../conf")
	for _, root := range []reflect.Type{reflect.TypeFor[conf.Controller](), reflect.TypeFor[conf.Router]()} {
		eachActive(root, root.Name(), func(path, field string) {
			if field != "V" && !read[field] { // the version is judged where it is read
				t.Errorf("%s is declared active, and nothing reads %s", path, field)
			}
		})
	}
}

// eachActive calls f with path and field of every key below a section that has
// an effect of its own: no section, not inert, not for later.
func eachActive(section reflect.Type, path string, f func(path, field string)) {
	for i := range section.NumField() {
		field := section.Field(i)
		if field.Name == "_" || field.Tag.Get("later") != "" {
			continue
		}
		below := path
		if key := field.Tag.Get("conf"); key != "" {
			below += "." + key
		}
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.NumField() > 0 && inner.Field(0).Tag.Get("conf") != "" {
			eachActive(inner, below, f)
			continue
		}
		f(below, field.Name)
	}
}

// selectors returns the names that the sources in dirs select, tests left out.
func selectors(t *testing.T, dirs ...string) map[string]bool {
	t.Helper()
	selector := regexp.MustCompile(`\.([A-Z]\w*)`)
	found := make(map[string]bool)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range selector.FindAllStringSubmatch(string(text), -1) {
				found[m[1]] = true
			}
		}
	}
	return found
}
