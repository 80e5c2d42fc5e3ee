//go:build linux

package main

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

const rootNode = fuse.FUSE_ROOT_ID

// node is a file or folder as those who use the mount see it now.
type node struct {
	id uint64
	attributes
	rdev     uint32
	target   string
	links    uint32
	size     int64
	accessed time.Time
	modified time.Time
	changed  time.Time
	// Of folders alone.
	children map[string]*node
	// The name it got last, for patterns of faults and for counting the links of folders.
	folder *node
	name   string
	// Of regular files alone: their contents, and how many have them open.
	file  *os.File
	opens int
}

func newNode(id uint64, owned attributes) *node {
	now := time.Now()
	n := &node{id: id, attributes: owned, links: 1, accessed: now, modified: now, changed: now}
	if n.isFolder() {
		n.links, n.children = 2, map[string]*node{}
	}
	return n
}

func (n *node) isFolder() bool { return n.Mode&syscall.S_IFMT == syscall.S_IFDIR }
func (n *node) isFile() bool   { return n.Mode&syscall.S_IFMT == syscall.S_IFREG }

// path is from the root of the mount, without a slash at its start.
func (n *node) path() string {
	if n.folder == nil {
		return n.name
	}
	return path.Join(n.folder.path(), n.name)
}

func (n *node) touch() {
	n.modified = time.Now()
	n.changed = n.modified
}

func (n *node) fill(out *fuse.Attr) {
	*out = fuse.Attr{
		Ino: n.id, Mode: n.Mode, Nlink: n.links, Rdev: n.rdev,
		Owner: fuse.Owner{Uid: n.UID, Gid: n.GID},
		Size:  uint64(n.size), Blocks: uint64(n.size+511) / 512, Blksize: 4096,
	}
	if n.target != "" {
		out.Size = uint64(len(n.target))
	}
	out.SetTimes(&n.accessed, &n.modified, &n.changed)
}

// addChild is for a name that is not taken.
func (n *node) addChild(name string, child *node) {
	n.children[name] = child
	child.folder, child.name = n, name
	if child.isFolder() {
		n.links++
	}
	n.touch()
}

func (n *node) removeChild(name string) {
	if n.children[name].isFolder() {
		n.links--
	}
	delete(n.children, name)
	n.touch()
}

func contentsPath(folder string, id uint64) string {
	return filepath.Join(folder, strconv.FormatUint(id, 10))
}
