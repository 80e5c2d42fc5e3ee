//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxUsersBytes is what the run's root has room for.
const maxUsersBytes = 256 * 1024

// nameUser gives the run's uid a name where it has none: SSH refuses to work for a uid without one.
func nameUser(root int, ordered *order) error {
	uid := ordered.UID
	if uid == 0 {
		uid = os.Getuid()
	}
	users := readWithin(root, "etc/passwd")
	if hasUser(users, uid) {
		return nil
	}
	if users != "" && !strings.HasSuffix(users, "\n") {
		users += "\n"
	}
	users += fmt.Sprintf("run:x:%d:%d:run:/tmp:/bin/sh\n", uid, uid)
	tree, err := fileWith(users)
	if err != nil {
		return fail("RUNNER_FENCE_FAILED", "the run's user can't be named: %v", err)
	}
	return (&bound{path: "/etc/passwd", tree: tree}).attach(root)
}

func readWithin(root int, path string) string {
	fd, err := unix.Openat(root, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	content := make([]byte, maxUsersBytes)
	count, _ := file.Read(content)
	return string(content[:count])
}

func hasUser(users string, uid int) bool {
	for line := range strings.SplitSeq(users, "\n") {
		if fields := strings.Split(line, ":"); len(fields) > 2 && fields[2] == fmt.Sprint(uid) {
			return true
		}
	}
	return false
}

// fileWith is a mount of one file that nobody can change.
func fileWith(content string) (int, error) {
	folder, err := openTmpfs("size=512k,mode=0755")
	if err != nil {
		return -1, err
	}
	defer unix.Close(folder)
	fd, err := unix.Openat(folder, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return -1, err
	}
	file := os.NewFile(uintptr(fd), "file")
	_, err = file.WriteString(content)
	file.Close()
	if err != nil {
		return -1, err
	}
	tree, err := unix.OpenTree(folder, "file", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, err
	}
	return tree, unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: readOnly})
}
