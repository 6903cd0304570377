package state

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/weftnet/weft/model"
)

// chunkLines is the number of lines that one goroutine decodes at a time.
const chunkLines = 128

// chunk is a part of a snapshot: its lines and what they hold.
type chunk struct {
	lines    [][]byte
	entities []model.Entity
	tail     *int  // number of entities of the snapshot, if the last line says it
	err      error // of the line behind the entities
	done     chan struct{}
}

// restoreEntities yields the entities of a snapshot in their order. Lines are
// decoded by as many goroutines as may run at once, which have ended when it
// returns.
func restoreEntities(in *bufio.Reader, yield func(model.Entity)) error {
	workers := runtime.GOMAXPROCS(0)
	work, order, stop := make(chan *chunk, workers), make(chan *chunk, 2*workers), make(chan struct{})
	var running sync.WaitGroup
	defer running.Wait()
	defer close(stop)
	running.Go(func() { readChunks(in, work, order, stop) })
	for range workers {
		running.Go(func() {
			for c := range work {
				c.decode()
				close(c.done)
			}
		})
	}
	count := 0
	for c := range order {
		<-c.done
		for _, e := range c.entities {
			yield(e)
		}
		count += len(c.entities)
		switch {
		case c.err != nil:
			return fmt.Errorf("snapshot: after %d entities: %w", count, c.err)
		case c.tail == nil:
		case *c.tail != count:
			return fmt.Errorf("snapshot: has %d entities, should have %d", count, *c.tail)
		default:
			return nil
		}
	}
	return fmt.Errorf("snapshot: after %d entities: %w", count, io.ErrUnexpectedEOF)
}

// readChunks reads lines until the end of the snapshot or until stop is closed.
func readChunks(in *bufio.Reader, work, order chan<- *chunk, stop <-chan struct{}) {
	defer close(order)
	defer close(work)
	for end := false; !end; {
		c := &chunk{done: make(chan struct{})}
		for len(c.lines) < chunkLines && !end {
			line, err := in.ReadBytes('\n')
			if err != nil && err != io.EOF {
				c.err = err
			}
			if err != nil {
				end = true
			}
			if len(line) > 0 {
				c.lines = append(c.lines, line)
			}
		}
		select {
		case order <- c:
		case <-stop:
			return
		}
		work <- c // whoever decodes takes it
	}
}

// decode decodes the lines up to the first mistake or the end of the snapshot.
func (c *chunk) decode() {
	for _, text := range c.lines {
		line, err := parseLine(text)
		if err != nil {
			c.err = err
			return
		}
		if line.Count != nil {
			c.tail = line.Count
			return
		}
		e := model.New(line.Kind)
		if e == nil {
			c.err = fmt.Errorf("unknown kind %q", line.Kind)
			return
		}
		if err := strict(line.Entity, e); err != nil {
			c.err = fmt.Errorf("%s: %w", line.Kind, err)
			return
		}
		c.entities = append(c.entities, e)
	}
}

// parseLine reads a line. One as WriteTo writes it is only cut, which saves going
// through the entity once more.
func parseLine(text []byte) (line snapshotEntity, err error) {
	head, rest, found := bytes.Cut(text, []byte(`,"entity":`))
	kind, ok := bytes.CutPrefix(head, []byte(`{"kind":"`))
	entity, ends := bytes.CutSuffix(rest, []byte("}\n"))
	if found && ok && ends && bytes.HasSuffix(kind, []byte(`"`)) {
		return snapshotEntity{Kind: model.Kind(kind[:len(kind)-1]), Entity: entity}, nil
	}
	return line, strict(text, &line)
}
