package observe

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Bundle is a tar.gz of files that tell somebody else how a network or process
// is, with a manifest.json at its end. It is used by one goroutine.
type Bundle struct {
	gz       *gzip.Writer
	tar      *tar.Writer
	manifest Manifest
}

// Manifest says what is in a bundle and what could not be had.
type Manifest struct {
	Made    time.Time         `json:"made"`
	By      string            `json:"by"`      // command or operation
	Version string            `json:"version"` // of the program that made it
	Note    string            `json:"note"`
	Files   []BundledFile     `json:"files"`
	Missing map[string]string `json:"missing,omitempty"` // why, by name
}

// BundledFile is a file of a bundle.
type BundledFile struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// NewBundle begins a bundle. The caller closes it.
func NewBundle(w io.Writer, by, version string, now time.Time) *Bundle {
	z := gzip.NewWriter(w)
	return &Bundle{gz: z, tar: tar.NewWriter(z), manifest: Manifest{
		Made: now.UTC(), By: by, Version: version, Files: []BundledFile{}, Missing: make(map[string]string),
		Note: "Keys, tokens, hashes and passwords were taken out. Names and addresses of the network were not.",
	}}
}

// Add adds a text without its secrets.
func (b *Bundle) Add(name, doc string, text []byte) error { return b.add(name, doc, Redact(text)) }

// AddBinary adds what is no text, such as a profile, as it is.
func (b *Bundle) AddBinary(name, doc string, content []byte) error { return b.add(name, doc, content) }

// AddJSON adds a value as indented JSON without its secrets.
func (b *Bundle) AddJSON(name, doc string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		b.Miss(name, err)
		return nil
	}
	return b.Add(name, doc, append(text, '\n'))
}

// Miss notes that a file could not be had.
func (b *Bundle) Miss(name string, why error) {
	b.manifest.Missing[name] = string(Redact([]byte(why.Error())))
}

// Files returns how many files there are.
func (b *Bundle) Files() int { return len(b.manifest.Files) }

func (b *Bundle) add(name, doc string, content []byte) error {
	sum := sha256.Sum256(content)
	if name != manifestName {
		b.manifest.Files = append(b.manifest.Files, BundledFile{name, doc, len(content), hex.EncodeToString(sum[:])})
	}
	err := b.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(content)), ModTime: b.manifest.Made})
	if err != nil {
		return err
	}
	_, err = b.tar.Write(content)
	return err
}

const manifestName = "manifest.json"

// Close adds the manifest and ends the bundle; the writer stays open.
func (b *Bundle) Close() error {
	return errors.Join(b.AddJSON(manifestName, "", b.manifest), b.tar.Close(), b.gz.Close())
}
