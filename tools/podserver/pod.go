//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// pod is one container of one pod and the folder that stands for it.
type pod struct {
	root, namespace, name, container string
}

// check refuses names that would leave the pods' folder.
func (p pod) check() error {
	for _, name := range []string{p.namespace, p.name, p.container} {
		if name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			return errors.New("not a name: " + name)
		}
	}
	return nil
}

func (p pod) logFile() string {
	return filepath.Join(p.root, p.namespace, p.name, p.container+".log")
}

// filesDir is where commands run and where relative paths of `kubectl cp` lie.
func (p pod) filesDir() (string, error) {
	dir := filepath.Join(p.root, p.namespace, p.name, "files")
	return dir, os.MkdirAll(dir, 0o700)
}
