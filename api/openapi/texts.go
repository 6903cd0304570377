package openapi

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"
)

// texts.txt holds the comments of the types and fields of package api, one per
// line: the name, a tab and the text. A test writes it and checks that it is
// current.
//
//go:embed texts.txt
var textFile string

var texts = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(textFile) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[name] = text
	}
	return out
})

// typeDoc returns the comment of a type as a sentence.
func typeDoc(t reflect.Type) string { return texts()[t.Name()] }

// fieldDoc returns the comment of a field, which may be one of an embedded type.
func fieldDoc(t reflect.Type, f reflect.StructField) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return texts()[t.Name()+"."+f.Name]
}
