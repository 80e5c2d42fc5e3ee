//go:build linux

package main

import (
	"os"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

func (d *disk) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	_, status := d.create(creation{header: &in.InHeader, name: name, mode: in.Mode&0o7777 | syscall.S_IFDIR}, out)
	return status
}

func (d *disk) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	_, status := d.create(creation{header: &in.InHeader, name: name, mode: in.Mode, rdev: in.Rdev}, out)
	return status
}

func (d *disk) Symlink(_ <-chan struct{}, header *fuse.InHeader, target, name string, out *fuse.EntryOut) fuse.Status {
	_, status := d.create(creation{header: header, name: name, mode: syscall.S_IFLNK | 0o777, target: target}, out)
	return status
}

func (d *disk) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	made, status := d.create(creation{header: &in.InHeader, name: name, mode: in.Mode&0o7777 | syscall.S_IFREG}, &out.EntryOut)
	if !status.Ok() {
		return status
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open(made)
}

type creation struct {
	header     *fuse.InHeader
	name       string
	mode, rdev uint32
	target     string
}

func (d *disk) create(c creation, out *fuse.EntryOut) (*node, fuse.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	folder := d.node(c.header.NodeId)
	if _, taken := folder.children[c.name]; taken {
		return nil, fuse.Status(syscall.EEXIST)
	}
	if status := d.faults.refuseName(folder, true); !status.Ok() {
		return nil, status
	}
	owned := attributes{Mode: c.mode, UID: c.header.Uid, GID: c.header.Gid}
	made := newNode(uint64(len(d.nodes)), owned)
	made.rdev, made.target = c.rdev, c.target
	if made.isFile() {
		if err := os.WriteFile(contentsPath(d.live, made.id), nil, 0o600); err != nil {
			return nil, fuse.ToStatus(err)
		}
	}
	d.nodes = append(d.nodes, made)
	folder.addChild(c.name, made)
	d.journal.append(record{
		Kind: kindCreate, Node: made.id, Folder: folder.id, Name: c.name,
		Rdev: c.rdev, Target: c.target, attributes: owned,
	})
	fillEntry(made, out)
	return made, fuse.OK
}

func (d *disk) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	folder, n := d.node(in.NodeId), d.node(in.Oldnodeid)
	if _, taken := folder.children[name]; taken {
		return fuse.Status(syscall.EEXIST)
	}
	if status := d.faults.refuseName(folder, true); !status.Ok() {
		return status
	}
	folder.addChild(name, n)
	n.links++
	d.journal.append(record{Kind: kindLink, Node: n.id, Folder: folder.id, Name: name})
	fillEntry(n, out)
	return fuse.OK
}

func (d *disk) Unlink(_ <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return d.remove(header, name)
}

func (d *disk) Rmdir(_ <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return d.remove(header, name)
}

func (d *disk) remove(header *fuse.InHeader, name string) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	folder := d.node(header.NodeId)
	n, ok := folder.children[name]
	if !ok {
		return fuse.ENOENT
	}
	if len(n.children) > 0 {
		return fuse.Status(syscall.ENOTEMPTY)
	}
	if status := d.faults.refuseName(folder, false); !status.Ok() {
		return status
	}
	folder.removeChild(name)
	d.journal.append(record{Kind: kindUnlink, Node: n.id, Folder: folder.id, Name: name})
	d.dropLink(n)
	return fuse.OK
}

func (d *disk) Rename(_ <-chan struct{}, in *fuse.RenameIn, name, toName string) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in.Flags&^unix.RENAME_NOREPLACE != 0 {
		return fuse.EINVAL
	}
	from, to := d.node(in.NodeId), d.node(in.Newdir)
	n, ok := from.children[name]
	if !ok {
		return fuse.ENOENT
	}
	replaced, taken := to.children[toName]
	if taken && in.Flags&unix.RENAME_NOREPLACE != 0 {
		return fuse.Status(syscall.EEXIST)
	}
	if taken && replaced == n {
		return fuse.OK
	}
	if taken && len(replaced.children) > 0 {
		return fuse.Status(syscall.ENOTEMPTY)
	}
	if status := d.faults.refuseName(to, false); !status.Ok() {
		return status
	}
	if taken {
		to.removeChild(toName)
		d.dropLink(replaced)
	}
	from.removeChild(name)
	to.addChild(toName, n)
	d.journal.append(record{Kind: kindRename, Node: n.id, Folder: from.id, Name: name, ToFolder: to.id, ToName: toName})
	return fuse.OK
}

func (d *disk) dropLink(n *node) {
	if n.isFolder() {
		n.links = 0
		return
	}
	n.links--
	d.discardIfUnused(n)
}

func (d *disk) OpenDir(_ <-chan struct{}, _ *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handle++
	out.Fh = d.handle
	return fuse.OK
}

// ReadDir goes on in the list that was made when reading began, so that
// whoever deletes what it reads misses nothing.
func (d *disk) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in.Offset == 0 {
		d.lists[in.Fh] = listChildren(d.node(in.NodeId))
	}
	for _, entry := range d.lists[in.Fh][min(int(in.Offset), len(d.lists[in.Fh])):] {
		if !out.AddDirEntry(entry) {
			break
		}
	}
	return fuse.OK
}

func listChildren(folder *node) []fuse.DirEntry {
	entries := make([]fuse.DirEntry, 0, len(folder.children))
	for name, child := range folder.children {
		entries = append(entries, fuse.DirEntry{Name: name, Mode: child.Mode, Ino: child.id, Off: uint64(len(entries) + 1)})
	}
	return entries
}

func (d *disk) ReleaseDir(in *fuse.ReleaseIn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.lists, in.Fh)
}

func (d *disk) FsyncDir(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return d.sync(in.NodeId)
}
