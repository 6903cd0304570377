package conf

//go:generate go test . -run TestReferenceIsCurrent -update

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testEnv is the environment of the tests.
func testEnv(name string) (string, bool) {
	v, ok := map[string]string{"HOME_DIR": "/var/lib/weft", "PORT": "1280", "EMPTY": ""}[name]
	return v, ok
}

// TestGolden reads every configuration under testdata and compares what comes
// out, values or complaints, with the file beside it. A comment "# show: A B.C"
// names the parts of the struct that are of interest.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := outcome(filepath.Base(file), data)
			golden := strings.TrimSuffix(file, ".yml") + ".golden"
			compare(t, golden, got)
		})
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", golden, got, want)
	}
}

// outcome renders what a file becomes.
func outcome(file string, data []byte) string {
	var parsed any
	var report *Report
	var err error
	if strings.HasPrefix(file, "router") {
		parsed, report, err = ParseRouter(file, data, testEnv)
	} else {
		parsed, report, err = ParseController(file, data, testEnv)
	}
	var b strings.Builder
	if err != nil {
		fmt.Fprintln(&b, err)
		return b.String()
	}
	for _, p := range report.Warnings {
		fmt.Fprintln(&b, "warning:", p)
	}
	for _, p := range report.Inactive {
		fmt.Fprintln(&b, "inactive:", p)
	}
	for _, part := range shown(string(data)) {
		dump(&b, part, at(reflect.ValueOf(parsed), part))
	}
	return b.String()
}

func shown(data string) []string {
	first, _, _ := strings.Cut(data, "\n")
	parts, ok := strings.CutPrefix(first, "# show: ")
	if !ok {
		return nil
	}
	return strings.Fields(parts)
}

func at(v reflect.Value, path string) reflect.Value {
	for _, name := range strings.Split(path, ".") {
		if v = reflect.Indirect(v); !v.IsValid() {
			return v
		}
		v = v.FieldByName(name)
	}
	return v
}

// dump writes one line per value that is not zero.
func dump(b *strings.Builder, path string, v reflect.Value) {
	v = reflect.Indirect(v)
	if !v.IsValid() {
		fmt.Fprintln(b, path, "is absent")
		return
	}
	_, text := v.Interface().(fmt.Stringer)
	switch {
	case v.Kind() == reflect.Struct && !text:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				dump(b, path+"."+f.Name, v.Field(i))
			}
		}
	case v.Kind() == reflect.Map:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			dump(b, path+"."+name.String(), v.MapIndex(name))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	default:
		fmt.Fprintf(b, "%s = %v\n", path, v.Interface())
	}
}

func TestReferenceIsCurrent(t *testing.T) {
	const head = "# Keys of the %s configuration\n\nGenerated from the schema by `go generate ./conf`.\n\n" +
		"The file is YAML. In paths, `[]` stands for the entries of a list and `NAME` for names of your own. `$NAME` and `${NAME}` in texts\n" +
		"are replaced by environment variables. A key is *active*; or it has *no effect*, for the reason given, and is named in the log, so that\n" +
		"files of the ecosystem can be used as they are; or it is *not active yet*: read, checked and named in the log, without effect until a\n" +
		"version has what it needs; or it is *refused*, as every key that is not listed here.\n\n"
	for name, table := range map[string]string{"controller": ReferenceController(), "router": ReferenceRouter()} {
		compare(t, "../docs/configuration-"+name+".md", fmt.Sprintf(head, name)+table)
	}
}
