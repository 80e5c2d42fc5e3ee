//go:build linux

package main

import (
	"regexp"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// faults is what is wrong with the disk. Its zero value is a healthy one.
type faults struct {
	failures []failure
	// Whether files may grow by freeBytes only. What is deleted is added to them.
	isLimited  bool
	freeBytes  int64
	isReadOnly bool
}

// failure ends one operation (write, fsync) on the files whose path fits.
type failure struct {
	operation string
	path      *regexp.Regexp
	errno     syscall.Errno
}

func (f *faults) refuse(operation string, n *node) fuse.Status {
	if f.isReadOnly {
		return fuse.EROFS
	}
	for _, failure := range f.failures {
		if failure.operation == operation && failure.path.MatchString(n.path()) {
			return fuse.Status(failure.errno)
		}
	}
	return fuse.OK
}

// grow takes the bytes from what is free. Less than none gives them back.
func (f *faults) grow(bytes int64) fuse.Status {
	if !f.isLimited {
		return fuse.OK
	}
	if bytes > 0 && bytes > f.freeBytes {
		return fuse.Status(syscall.ENOSPC)
	}
	f.freeBytes -= bytes
	return fuse.OK
}

// refuseName is for changes of a folder; new names need some space.
func (f *faults) refuseName(folder *node, isNew bool) fuse.Status {
	if isNew && f.isLimited && f.freeBytes <= 0 && !f.isReadOnly {
		return fuse.Status(syscall.ENOSPC)
	}
	return f.refuse("write", folder)
}
