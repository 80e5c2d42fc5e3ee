//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
)

type kind string

const (
	kindCreate     kind = "create"     // Node gets its first name, Name in Folder
	kindLink       kind = "link"       // Node gets one more name
	kindUnlink     kind = "unlink"     // Node loses the name; folders too
	kindRename     kind = "rename"     // Node moves from Name in Folder to ToName in ToFolder
	kindWrite      kind = "write"      // Size bytes at Offset; they follow the record
	kindTruncate   kind = "truncate"   // to Size bytes, also to more than before
	kindAttributes kind = "attributes" // another mode or owner
	kindSync       kind = "sync"       // fsync or fdatasync of Node, a file or folder
)

type attributes struct {
	Mode uint32 `json:"mode,omitempty"`
	UID  uint32 `json:"uid,omitempty"`
	GID  uint32 `json:"gid,omitempty"`
}

// record is one line of the journal. The numbers of nodes are never used twice.
type record struct {
	Kind     kind   `json:"kind"`
	Node     uint64 `json:"node"`
	Folder   uint64 `json:"folder,omitempty"`
	Name     string `json:"name,omitempty"`
	ToFolder uint64 `json:"toFolder,omitempty"`
	ToName   string `json:"toName,omitempty"`
	Offset   int64  `json:"offset,omitempty"`
	Size     int64  `json:"size,omitempty"`
	Rdev     uint32 `json:"rdev,omitempty"`
	// Target is where a symbolic link leads.
	Target string `json:"target,omitempty"`
	attributes
}

// journal records every change in the order in which it became visible.
type journal struct {
	mu       sync.Mutex
	file     *os.File
	writer   *bufio.Writer
	position uint64
	syncs    []uint64
}

func createJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &journal{file: file, writer: bufio.NewWriterSize(file, 1<<20)}, nil
}

func (j *journal) append(r record, data ...[]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line, err := json.Marshal(r)
	must(err)
	_, err = j.writer.Write(append(line, '\n'))
	must(err)
	for _, part := range data {
		_, err = j.writer.Write(part)
		must(err)
	}
	j.position++
	if r.Kind == kindSync {
		j.syncs = append(j.syncs, j.position)
	}
}

func (j *journal) now() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.position
}

// syncsBetween gives the positions right after each sync, above `after` and up to `upTo`.
func (j *journal) syncsBetween(after, upTo uint64) []uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := []uint64{}
	for _, position := range j.syncs {
		if position > after && position <= upTo {
			found = append(found, position)
		}
	}
	return found
}

func (j *journal) flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writer.Flush()
}

// must ends the program: a journal with a gap would prove nothing.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
