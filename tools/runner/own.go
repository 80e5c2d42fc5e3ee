//go:build linux

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTree gives all of the folders to a uid. os.Root keeps to the tree: another
// program of the same run may change it meanwhile.
func giveTree(folders []string, uid int) error {
	for _, folder := range folders {
		if err := giveFolder(folder, uid); err != nil {
			return fail("RUNNER_FENCE_FAILED", "%s can't be given to the run's user: %v", folder, err)
		}
	}
	return nil
}

func giveFolder(folder string, uid int) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			// What is removed meanwhile needs no owner.
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		found, err := entry.Info()
		if err != nil {
			return nil
		}
		if status, ok := found.Sys().(*syscall.Stat_t); ok && int(status.Uid) == uid && int(status.Gid) == uid {
			return nil
		}
		if err := root.Lchown(path, uid, uid); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	})
}
