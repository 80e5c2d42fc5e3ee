//go:build linux

package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxSharedDepth bounds how many folders are open at once.
const maxSharedDepth = 200

// shareResults lets this process's group read and write what the run left in
// its folders. It follows no link: one could lead to a file of somebody else.
func shareResults(folders []string) {
	for _, path := range folders {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err == nil {
			shareTree(fd, 0)
		}
	}
}

// shareTree closes the descriptor.
func shareTree(fd, depth int) {
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil {
		return
	}
	kind := stat.Mode & unix.S_IFMT
	if kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return
	}
	if int(stat.Uid) == os.Geteuid() {
		// By the descriptor: what the name says may change.
		unix.Chmod(descriptorPath(fd), sharedMode(stat.Mode))
	}
	if kind != unix.S_IFDIR || depth == maxSharedDepth {
		return
	}
	folder, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	listing := os.NewFile(uintptr(folder), "folder")
	defer listing.Close()
	for {
		names, err := listing.Readdirnames(256)
		for _, name := range names {
			entry, err := unix.Openat(fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			if err == nil {
				shareTree(entry, depth+1)
			}
		}
		if err != nil {
			return
		}
	}
}

// sharedMode also gives the owner what the group gets, since a folder without
// rights can't be listed, and takes away setuid, setgid and sticky bits.
func sharedMode(mode uint32) uint32 {
	shared := mode&0o777 | 0o660
	if mode&unix.S_IFMT == unix.S_IFDIR || mode&0o111 != 0 {
		shared |= 0o110
	}
	return shared
}

func descriptorPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }
