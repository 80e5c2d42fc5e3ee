package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxInspectedFiles = 10_000
	maxInspectedBytes = 64 << 20
	// maxFolderEntries bounds the listing of one folder.
	maxFolderEntries = 100_000

	moduleManifest = "modules/modules.json"
)

var configurationEndings = []string{".tf", ".tofu", ".tf.json", ".tofu.json"}

// inspector reads files through one root, which no link leads out of.
type inspector struct {
	*inspection
	root      *os.Root
	bytesLeft int64
	visited   map[string]bool
	// implied has the folders and providers of resources seen so far.
	implied map[string]bool
	// waiting has the folders of modules that are still to be read.
	waiting     []waitingFolder
	withModules bool
}

type waitingFolder struct {
	folder string
	// from is where the module is called or listed.
	from place
}

// inspected says where a configuration lies. Paths are relative to the root, which has all that it can use.
type inspected struct {
	root string
	// start is the folder in which OpenTofu runs, data that in which it keeps modules.
	start, data string
	withModules bool
}

func inspectFolder(wanted inspected) (*inspection, error) {
	root, err := os.OpenRoot(wanted.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	i := &inspector{
		inspection: newInspection(), root: root, bytesLeft: maxInspectedBytes,
		visited: map[string]bool{}, implied: map[string]bool{}, withModules: wanted.withModules,
	}
	i.waiting = []waitingFolder{{folder: wanted.start}}
	if wanted.withModules {
		i.addInstalledModules(wanted)
	}
	for len(i.waiting) > 0 {
		next := i.waiting[0]
		i.waiting = i.waiting[1:]
		if !i.visited[next.folder] {
			i.visited[next.folder] = true
			i.readFolder(next)
		}
	}
	slices.Sort(i.Functions)
	i.Functions = slices.Compact(i.Functions)
	return i.inspection, nil
}

// addInstalledModules adds what `tofu init` has put there.
func (i *inspector) addInstalledModules(wanted inspected) {
	file := path.Join(wanted.data, moduleManifest)
	content, err := i.readFile(file)
	if os.IsNotExist(err) {
		return
	}
	var manifest struct{ Modules []struct{ Dir string } }
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil {
		i.addError(file, 0, err.Error())
		return
	}
	for _, module := range manifest.Modules {
		at := filepath.ToSlash(module.Dir)
		if !path.IsAbs(at) {
			at = path.Join(wanted.start, at)
		} else if relative, err := filepath.Rel(wanted.root, module.Dir); err == nil {
			at = filepath.ToSlash(relative)
		}
		i.addFolder(path.Clean(at), place{File: file})
	}
}

func (i *inspector) addFolder(folder string, from place) {
	if folder == ".." || strings.HasPrefix(folder, "../") || path.IsAbs(folder) {
		i.addError(from.File, from.Line, "the module "+folder+" lies outside of the inspected folder")
		return
	}
	i.waiting = append(i.waiting, waitingFolder{folder, from})
}

func (i *inspector) readFolder(waiting waitingFolder) {
	names, err := i.list(waiting.folder)
	if err != nil {
		i.addError(waiting.from.File, waiting.from.Line, err.Error())
		return
	}
	for _, name := range names {
		if !isConfiguration(name) {
			continue
		}
		file := path.Join(waiting.folder, name)
		if len(i.Files) == maxInspectedFiles {
			i.addError(file, 0, fmt.Sprintf("there are more than %d files", maxInspectedFiles))
			i.waiting = nil
			return
		}
		i.Files = append(i.Files, file)
		content, err := i.readFile(file)
		if err != nil {
			i.addError(file, 0, err.Error())
			continue
		}
		i.inspectFile(file, content)
	}
}

func (i *inspector) list(folder string) ([]string, error) {
	opened, err := i.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	names, err := opened.Readdirnames(maxFolderEntries)
	if err == io.EOF {
		return nil, nil
	}
	if len(names) == maxFolderEntries {
		return nil, fmt.Errorf("%s has %d entries or more", folder, maxFolderEntries)
	}
	slices.Sort(names)
	return names, err
}

// isConfiguration leaves out what OpenTofu does: hidden files and those of editors.
func isConfiguration(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") {
		return false
	}
	return slices.ContainsFunc(configurationEndings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

func (i *inspector) readFile(name string) ([]byte, error) {
	// A FIFO without a writer would keep whoever opens it waiting.
	file, err := i.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	content, err := io.ReadAll(io.LimitReader(file, i.bytesLeft+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > i.bytesLeft {
		return nil, fmt.Errorf("the files have more than %d bytes", maxInspectedBytes)
	}
	i.bytesLeft -= int64(len(content))
	return content, nil
}
