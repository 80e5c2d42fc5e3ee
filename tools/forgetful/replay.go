//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// replay goes along the journal and knows at each position what is durable.
type replay struct {
	journal  *journal
	file     *os.File
	folder   string
	root     attributes
	reader   *bufio.Reader
	offset   int64
	position uint64
	names    *names
	contents *contents
	owned    map[uint64]attributes
	// Attributes that the next sync makes durable.
	pendingOwned map[uint64]attributes
	created      map[uint64]record
}

func newReplay(journal *journal, folder string, root attributes) (*replay, error) {
	file, err := os.Open(journal.file.Name())
	if err != nil {
		return nil, err
	}
	r := &replay{journal: journal, file: file, folder: folder, root: root}
	return r, r.restart()
}

func (r *replay) restart() error {
	contents, err := newContents(r.folder)
	if err != nil {
		return err
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.reader = bufio.NewReaderSize(r.file, 1<<20)
	r.offset, r.position = 0, 0
	r.names, r.contents = newNames(), contents
	r.owned = map[uint64]attributes{rootNode: r.root}
	r.pendingOwned = map[uint64]attributes{}
	r.created = map[uint64]record{}
	return nil
}

// goTo is quick for positions that grow, and starts again for one that lies before.
func (r *replay) goTo(position uint64) error {
	if now := r.journal.now(); position > now {
		return fmt.Errorf("position %d lies ahead of %d", position, now)
	}
	if position < r.position {
		if err := r.restart(); err != nil {
			return err
		}
	}
	if err := r.journal.flush(); err != nil {
		return err
	}
	for r.position < position {
		if err := r.step(); err != nil {
			return fmt.Errorf("record %d: %w", r.position+1, err)
		}
	}
	return nil
}

func (r *replay) step() error {
	line, err := r.reader.ReadBytes('\n')
	if err != nil {
		return err
	}
	var next record
	if err := json.Unmarshal(line, &next); err != nil {
		return err
	}
	r.offset += int64(len(line))
	r.position++
	switch next.Kind {
	case kindCreate:
		r.created[next.Node], r.owned[next.Node] = next, next.attributes
		r.names.change(next)
	case kindLink, kindUnlink, kindRename:
		r.names.change(next)
	case kindWrite:
		r.contents.change(next.Node, contentChange{next.Offset, next.Size, r.offset})
		r.offset += next.Size
		_, err = io.CopyN(io.Discard, r.reader, next.Size)
	case kindTruncate:
		r.contents.change(next.Node, contentChange{offset: next.Size})
	case kindAttributes:
		r.pendingOwned[next.Node] = next.attributes
	case kindSync:
		err = r.sync(next.Node)
	default:
		err = fmt.Errorf("unknown kind %q", next.Kind)
	}
	return err
}

func (r *replay) sync(node uint64) error {
	r.names.sync(node)
	if owned, ok := r.pendingOwned[node]; ok {
		r.owned[node] = owned
		delete(r.pendingOwned, node)
	}
	return r.contents.sync(node, r.file)
}

// materialise makes the folder as it is found after a power cut at the position reached.
func (r *replay) materialise(to string, unsynced survival) error {
	tree := r.names.clone()
	tree.commit(func(*nameChange) bool { return unsynced.name() })
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	return r.makeFolder(to, rootNode, tree, unsynced)
}

func (r *replay) makeFolder(path string, node uint64, tree *names, unsynced survival) error {
	children := tree.durable[node]
	// In the same order each time, so that a seed gives the same folder again.
	for _, name := range slices.Sorted(maps.Keys(children)) {
		if err := r.makeNode(filepath.Join(path, name), children[name], tree, unsynced); err != nil {
			return err
		}
	}
	return r.own(path, node, unsynced)
}

func (r *replay) makeNode(path string, node uint64, tree *names, unsynced survival) error {
	made := r.created[node]
	switch made.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		return r.makeFolder(path, node, tree, unsynced)
	case syscall.S_IFLNK:
		if err := os.Symlink(made.Target, path); err != nil {
			return err
		}
		return os.Lchown(path, int(made.UID), int(made.GID))
	case syscall.S_IFREG:
		if err := r.makeFile(path, node, unsynced); err != nil {
			return err
		}
	default:
		if err := syscall.Mknod(path, made.Mode, int(made.Rdev)); err != nil {
			return err
		}
	}
	return r.own(path, node, unsynced)
}

func (r *replay) makeFile(path string, node uint64, unsynced survival) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := r.contents.copyTo(file, node, r.file, unsynced.page); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

func (r *replay) own(path string, node uint64, unsynced survival) error {
	owned := r.owned[node]
	if pending, ok := r.pendingOwned[node]; ok && unsynced.name() {
		owned = pending
	}
	if err := os.Lchown(path, int(owned.UID), int(owned.GID)); err != nil {
		return err
	}
	return syscall.Chmod(path, owned.Mode&0o7777)
}
