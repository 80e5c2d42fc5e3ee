//go:build linux

package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of <linux/landlock.h> that a folder to read has, and those that make sense for a file.
const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	deviceRights = fileRights &^ unix.LANDLOCK_ACCESS_FS_EXECUTE
	makeDevices  = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

const (
	rulePathBeneath = 1
	ruleNetPort     = 2
	netConnectTCP   = 1 << 1
	scopeAll        = 1<<0 | 1<<1 // abstract unix sockets, signals
)

type landlockAttributes struct {
	handledFS, handledNet, scoped uint64
}

type landlockPort struct {
	allowed, port uint64
}

func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// fileRightsOf has all rights for files that an ABI knows.
func fileRightsOf(abi int) uint64 {
	rights := uint64(1<<13 - 1)
	for _, since := range []struct {
		abi   int
		right uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		if abi >= since.abi {
			rights |= since.right
		}
	}
	return rights
}

// landlockRuleset returns -1 where the kernel has no Landlock: the probe says so.
func landlockRuleset(ordered *order) (int, error) {
	abi := landlockABI()
	if abi == 0 {
		return -1, nil
	}
	attributes := landlockAttributes{handledFS: fileRightsOf(abi)}
	size := unsafe.Sizeof(attributes.handledFS)
	if abi >= 4 {
		size = unsafe.Offsetof(attributes.scoped)
		if ordered.Connect != nil {
			attributes.handledNet = netConnectTCP
		}
	}
	if abi >= 6 {
		size = unsafe.Sizeof(attributes)
		attributes.scoped = scopeAll
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), size, 0)
	if errno != 0 {
		return -1, fail("RUNNER_FENCE_FAILED", "Landlock could not be prepared: %v", errno)
	}
	ruleset := int(fd)
	if err := allowPaths(ruleset, attributes.handledFS, ordered); err != nil {
		return -1, err
	}
	if attributes.handledNet == 0 {
		return ruleset, nil
	}
	for _, port := range ordered.ports() {
		rule := landlockPort{allowed: netConnectTCP, port: uint64(port)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, ruleNetPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		if errno != 0 {
			return -1, fail("RUNNER_FENCE_FAILED", "port %d could not be allowed: %v", port, errno)
		}
	}
	return ruleset, nil
}

func allowPaths(ruleset int, handled uint64, ordered *order) error {
	for _, path := range systemPaths {
		if err := allowPath(ruleset, path, readRights&handled); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range devices {
		if err := allowPath(ruleset, "/dev/"+name, deviceRights&handled); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if ordered.Separation == separationNamespaces {
		// All of the root is the run's own there.
		if err := allowPath(ruleset, "/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
		if err := allowPath(ruleset, "/proc", readRights&handled); err != nil {
			return err
		}
		if err := allowPath(ruleset, "/tmp", handled&^makeDevices); err != nil {
			return err
		}
	}
	for _, path := range programFolders(ordered.Argv[0]) {
		if err := allowPath(ruleset, path, readRights&handled); err != nil {
			return fail("RUNNER_PROGRAM_MISSING", "the program's folder can't be opened: %v", err)
		}
	}
	if err := allowOrdered(ruleset, ordered.Read, readRights&handled, ordered); err != nil {
		return err
	}
	return allowOrdered(ruleset, ordered.Write, handled&^makeDevices, ordered)
}

func allowOrdered(ruleset int, paths []string, rights uint64, ordered *order) error {
	for _, path := range paths {
		if err := allowPath(ruleset, ordered.Places[path], rights); err != nil {
			return fail("RUNNER_ORDER_INVALID", "a path of the order can't be opened: %v", err)
		}
	}
	return nil
}

func allowPath(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), rulePathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &fs.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

// restrictThread puts the ruleset on this thread and what it executes.
func restrictThread(ruleset int) error {
	if ruleset < 0 {
		return nil
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fail("RUNNER_FENCE_FAILED", "Landlock could not be applied: %v", errno)
	}
	return nil
}

// programFolders has the folder of the program and, for a link, the one of its file.
func programFolders(program string) []string {
	folders := []string{programFolder(program)}
	if real, err := filepath.EvalSymlinks(program); err == nil && real != program {
		folders = append(folders, programFolder(real))
	}
	return folders
}

// programFolder is the program alone where its folder is the root.
func programFolder(program string) string {
	if folder := filepath.Dir(program); folder != "/" {
		return folder
	}
	return program
}
