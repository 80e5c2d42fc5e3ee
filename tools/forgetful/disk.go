//go:build linux

package main

import (
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// The kernel is the only one who changes anything, so it may keep what it knows.
const cacheTime = time.Hour

// disk is the file system as it is seen: names and attributes in memory, the
// contents of each file in a file of its own below `live`.
type disk struct {
	fuse.RawFileSystem
	mu      sync.Mutex
	live    string
	journal *journal
	faults  faults
	// Nodes stay known when they have no name any more: somebody may have them open.
	nodes  []*node
	lists  map[uint64][]fuse.DirEntry
	handle uint64
}

func newDisk(live, mount string, journal *journal) (*disk, error) {
	if err := os.Mkdir(live, 0o700); err != nil {
		return nil, err
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(mount, &stat); err != nil {
		return nil, err
	}
	root := newNode(rootNode, attributes{Mode: stat.Mode, UID: stat.Uid, GID: stat.Gid})
	return &disk{
		RawFileSystem: fuse.NewDefaultRawFileSystem(),
		live:          live,
		journal:       journal,
		nodes:         []*node{nil, root},
		lists:         map[uint64][]fuse.DirEntry{},
	}, nil
}

func (d *disk) root() attributes { return d.nodes[rootNode].attributes }

func (d *disk) node(id uint64) *node { return d.nodes[id] }

func (d *disk) String() string { return "forgetful" }

func (d *disk) Lookup(_ <-chan struct{}, header *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.node(header.NodeId).children[name]
	if !ok {
		return fuse.ENOENT
	}
	fillEntry(found, out)
	return fuse.OK
}

func (d *disk) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.node(in.NodeId).fill(&out.Attr)
	out.SetTimeout(cacheTime)
	return fuse.OK
}

func (d *disk) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.node(in.NodeId)
	if size, ok := in.GetSize(); ok {
		if status := d.truncate(n, int64(size)); !status.Ok() {
			return status
		}
	}
	if status := d.setOwned(n, in); !status.Ok() {
		return status
	}
	if at, ok := in.GetATime(); ok {
		n.accessed = at
	}
	if at, ok := in.GetMTime(); ok {
		n.modified = at
	}
	n.changed = time.Now()
	n.fill(&out.Attr)
	out.SetTimeout(cacheTime)
	return fuse.OK
}

func (d *disk) setOwned(n *node, in *fuse.SetAttrIn) fuse.Status {
	if status := d.faults.refuse("write", n); !status.Ok() {
		return status
	}
	owned := n.attributes
	if mode, ok := in.GetMode(); ok {
		owned.Mode = n.Mode&syscall.S_IFMT | mode&^uint32(syscall.S_IFMT)
	}
	if uid, ok := in.GetUID(); ok {
		owned.UID = uid
	}
	if gid, ok := in.GetGID(); ok {
		owned.GID = gid
	}
	if owned != n.attributes {
		n.attributes = owned
		d.journal.append(record{Kind: kindAttributes, Node: n.id, attributes: owned})
	}
	return fuse.OK
}

func (d *disk) Readlink(_ <-chan struct{}, header *fuse.InHeader) ([]byte, fuse.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []byte(d.node(header.NodeId).target), fuse.OK
}

func (d *disk) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	const blockBytes, blocks = 4096, 1 << 28
	*out = fuse.StatfsOut{Blocks: blocks, Bfree: blocks, Files: blocks, Ffree: blocks, Bsize: blockBytes, Frsize: blockBytes, NameLen: 255}
	if d.faults.isLimited {
		out.Bfree = uint64(max(0, d.faults.freeBytes)) / blockBytes
	}
	out.Bavail = out.Bfree
	return fuse.OK
}

func fillEntry(n *node, out *fuse.EntryOut) {
	out.NodeId, out.Generation = n.id, 1
	n.fill(&out.Attr)
	out.SetEntryTimeout(cacheTime)
	out.SetAttrTimeout(cacheTime)
}
