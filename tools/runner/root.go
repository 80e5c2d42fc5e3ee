//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// The root itself holds nothing but mount points.
	rootOptions = "size=1m,mode=0755"
	tmpOptions  = "size=64m,mode=1777"
)

const (
	readOnly  = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	writable  = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	deviceFit = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
)

// bound is a part of the machine that also shows in the run's root.
type bound struct {
	path string
	// tree is a copy of the mounts at the path, which nobody can move away any more.
	tree     int
	isFolder bool
}

// enterRoot makes the run's own root and leaves the machine's. A folder on the
// way to a bound one doesn't show what else it has, and its mode doesn't matter.
func enterRoot(ordered *order) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fail("RUNNER_FENCE_FAILED", "the mounts can't be made private: %v", err)
	}
	plan, err := planRoot(ordered)
	if err != nil {
		return err
	}
	// Copied before anything is mounted over them.
	proc, err := openProc()
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "there can be no /proc of the run's own: %v", err)
	}
	root, err := mountRoot()
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "the root can't be mounted: %v", err)
	}
	if err := furnish(root, plan, proc); err != nil {
		return err
	}
	if err := plan.addAliases(root); err != nil {
		return err
	}
	if err := nameUser(root, ordered); err != nil {
		return err
	}
	return switchRoot(root)
}

func mountRoot() (int, error) {
	for _, place := range []string{"/tmp", "/mnt", "/var", "/usr"} {
		if info, err := os.Stat(place); err != nil || !info.IsDir() {
			continue
		}
		if err := unix.Mount("tmpfs", place, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, rootOptions); err != nil {
			return -1, err
		}
		return unix.Open(place, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	return -1, os.ErrNotExist
}

func furnish(root int, plan *rootPlan, proc int) error {
	defer unix.Umask(unix.Umask(0))
	for _, link := range plan.links {
		if err := unix.Symlinkat(link.to, root, strings.TrimPrefix(link.path, "/")); err != nil {
			return fail("RUNNER_FENCE_FAILED", "%s can't be linked: %v", link.path, err)
		}
	}
	for _, part := range plan.system {
		if err := part.attach(root); err != nil {
			return err
		}
	}
	if err := attachNew(root, "/tmp", func() (int, error) { return openTmpfs(tmpOptions) }); err != nil {
		return err
	}
	if err := attachNew(root, "/proc", func() (int, error) { return proc, nil }); err != nil {
		return err
	}
	for _, part := range plan.ordered {
		if err := part.attach(root); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := unix.Symlinkat("/proc/self/"+target, root, "dev/"+name); err != nil {
			return fail("RUNNER_FENCE_FAILED", "/dev/%s can't be linked: %v", name, err)
		}
	}
	return nil
}

func attachNew(root int, path string, open func() (int, error)) error {
	tree, err := open()
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "%s can't be mounted: %v", path, err)
	}
	return (&bound{path: path, tree: tree, isFolder: true}).attach(root)
}

func (b *bound) attach(root int) error {
	target, err := makePlace(root, b.path, b.isFolder)
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "there is no place for %s: %v", b.path, err)
	}
	defer unix.Close(target)
	err = unix.MoveMount(b.tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "%s can't be bound: %v", b.path, err)
	}
	unix.Close(b.tree)
	return nil
}

// makePlace opens the path below the root and makes what is missing of it. It
// follows no links: they could lead out of the new root.
func makePlace(root int, path string, isFolder bool) (int, error) {
	names := strings.Split(strings.TrimPrefix(path, "/"), "/")
	at, err := unix.FcntlInt(uintptr(root), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	for index, name := range names {
		flags := unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
		wantsFolder := isFolder || index < len(names)-1
		if wantsFolder {
			flags |= unix.O_DIRECTORY
		}
		next, err := unix.Openat(at, name, flags, 0)
		if err == unix.ENOENT {
			if err = makeEntry(at, name, wantsFolder); err == nil {
				next, err = unix.Openat(at, name, flags, 0)
			}
		}
		unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

func makeEntry(at int, name string, isFolder bool) error {
	if isFolder {
		return unix.Mkdirat(at, name, 0o755)
	}
	fd, err := unix.Openat(at, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// openTree copies the mounts at a path, with attributes that the copy has in addition.
func openTree(path string, attributes uint64) (*bound, error) {
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return nil, fmt.Errorf("%s can't be opened: %w", path, err)
	}
	err = unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
	if err != nil {
		return nil, fmt.Errorf("the mounts at %s can't be restricted: %w", path, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return nil, err
	}
	return &bound{path: path, tree: tree, isFolder: stat.Mode&unix.S_IFMT == unix.S_IFDIR}, nil
}

// openProc has the run's processes and nothing of the kernel's settings.
func openProc() (int, error) {
	return openFilesystem("proc", [][2]string{{"subset", "pid"}}, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
}

func openTmpfs(options string) (int, error) {
	var pairs [][2]string
	for option := range strings.SplitSeq(options, ",") {
		name, value, _ := strings.Cut(option, "=")
		pairs = append(pairs, [2]string{name, value})
	}
	return openFilesystem("tmpfs", pairs, writable)
}

func openFilesystem(kind string, options [][2]string, attributes int) (int, error) {
	context, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(context)
	for _, option := range options {
		if err := unix.FsconfigSetString(context, option[0], option[1]); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(context); err != nil {
		return -1, err
	}
	return unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, attributes)
}

func switchRoot(root int) error {
	steps := []func() error{
		func() error { return unix.Fchdir(root) },
		func() error { return unix.PivotRoot(".", ".") },
		// The machine's root now lies over the run's: it goes, with all that it has.
		func() error { return unix.Unmount(".", unix.MNT_DETACH) },
		func() error { return unix.Chdir("/") },
		func() error {
			return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: readOnly})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fail("RUNNER_FENCE_FAILED", "the machine's root can't be left: %v", err)
		}
	}
	return nil
}

// isBelow is also true for the folder itself.
func isBelow(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		relative, err := filepath.Rel(folder, path)
		return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
	})
}
