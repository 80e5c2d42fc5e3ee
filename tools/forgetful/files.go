//go:build linux

package main

import (
	"os"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

func (d *disk) Open(_ <-chan struct{}, in *fuse.OpenIn, _ *fuse.OpenOut) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.node(in.NodeId)
	isWriting := in.Flags&syscall.O_ACCMODE != syscall.O_RDONLY
	if isWriting && d.faults.isReadOnly {
		return fuse.EROFS
	}
	if isWriting && in.Flags&syscall.O_TRUNC != 0 {
		if status := d.truncate(n, 0); !status.Ok() {
			return status
		}
	}
	return d.open(n)
}

// open is called with the lock held, as are all that begin with a small letter below.
func (d *disk) open(n *node) fuse.Status {
	if n.file == nil {
		file, err := os.OpenFile(contentsPath(d.live, n.id), os.O_RDWR, 0)
		if err != nil {
			return fuse.ToStatus(err)
		}
		n.file = file
	}
	n.opens++
	return fuse.OK
}

func (d *disk) Release(_ <-chan struct{}, in *fuse.ReleaseIn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.close(d.node(in.NodeId))
}

func (d *disk) close(n *node) {
	n.opens--
	if n.opens == 0 {
		n.file.Close()
		n.file = nil
	}
	d.discardIfUnused(n)
}

func (d *disk) discardIfUnused(n *node) {
	if n.isFile() && n.links == 0 && n.opens == 0 {
		os.Remove(contentsPath(d.live, n.id))
		d.faults.grow(-n.size)
	}
}

func (d *disk) Read(_ <-chan struct{}, in *fuse.ReadIn, buffer []byte) (fuse.ReadResult, fuse.Status) {
	d.mu.Lock()
	file := d.node(in.NodeId).file
	d.mu.Unlock()
	count, err := syscall.Pread(int(file.Fd()), buffer, int64(in.Offset))
	if err != nil {
		return nil, fuse.ToStatus(err)
	}
	return fuse.ReadResultData(buffer[:count]), fuse.OK
}

func (d *disk) Writev(_ <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, offset := d.node(in.NodeId), int64(in.Offset)
	if status := d.faults.refuse("write", n); !status.Ok() {
		return 0, status
	}
	end := offset + int64(in.Size)
	if status := d.faults.grow(max(0, end-n.size)); !status.Ok() {
		return 0, status
	}
	for _, part := range data {
		if _, err := n.file.WriteAt(part, offset); err != nil {
			return 0, fuse.ToStatus(err)
		}
		offset += int64(len(part))
	}
	n.size = max(n.size, end)
	n.touch()
	d.journal.append(record{Kind: kindWrite, Node: n.id, Offset: int64(in.Offset), Size: int64(in.Size)}, data...)
	if in.Flags&syscall.O_DSYNC != 0 {
		return in.Size, d.syncNode(n)
	}
	return in.Size, fuse.OK
}

func (d *disk) Fallocate(_ <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.node(in.NodeId)
	if in.Mode&^unix.FALLOC_FL_KEEP_SIZE != 0 {
		return fuse.Status(syscall.EOPNOTSUPP)
	}
	if end := int64(in.Offset + in.Length); in.Mode == 0 && end > n.size {
		return d.truncate(n, end)
	}
	return d.faults.refuse("write", n)
}

func (d *disk) truncate(n *node, size int64) fuse.Status {
	if status := d.faults.refuse("write", n); !status.Ok() {
		return status
	}
	if status := d.faults.grow(size - n.size); !status.Ok() {
		return status
	}
	if err := os.Truncate(contentsPath(d.live, n.id), size); err != nil {
		return fuse.ToStatus(err)
	}
	n.size = size
	n.touch()
	d.journal.append(record{Kind: kindTruncate, Node: n.id, Size: size})
	return fuse.OK
}

func (d *disk) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return d.sync(in.NodeId)
}

func (d *disk) sync(id uint64) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncNode(d.node(id))
}

// syncNode leaves what it could not sync to the next sync that succeeds, as a
// kernel does that keeps pages dirty after an error.
func (d *disk) syncNode(n *node) fuse.Status {
	if status := d.faults.refuse("fsync", n); !status.Ok() {
		return status
	}
	d.journal.append(record{Kind: kindSync, Node: n.id})
	return fuse.OK
}
