//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const maxLinks = 40

// findPlaces is done by the first process of a run: in a user namespace nobody
// sees any more which links are root's.
func findPlaces(ordered *order) error {
	if ordered.Separation == separationNone {
		return nil
	}
	ordered.Places = map[string]string{}
	for _, path := range slices.Concat(ordered.Write, ordered.Read) {
		place, err := resolveTrusted(path, ordered.keepsRoot())
		if err != nil {
			return fail("RUNNER_ORDER_INVALID", "a path of the order can't be used: %v", err)
		}
		ordered.Places[path] = place
	}
	return nil
}

// keepsRoot is true where what runs leave behind belongs to root.
func (o *order) keepsRoot() bool {
	takesUID := o.UID != 0 && (o.Separation == separationNamespaces || o.Separation == separationUID)
	return !takesUID && os.Geteuid() == 0
}

// resolveTrusted follows only links of root: any other one could be what an
// earlier run left in its folder, to have a later one bound to the agent's
// files. Where runs are root themselves only links such as /bin are followed.
func resolveTrusted(path string, runsAreRoot bool) (string, error) {
	resolved, rest := "/", strings.Split(strings.TrimPrefix(path, "/"), "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			resolved = filepath.Dir(resolved)
			continue
		}
		next := filepath.Join(resolved, name)
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode().Type() != os.ModeSymlink {
			resolved = next
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 0 || runsAreRoot && resolved != "/" {
			return "", fmt.Errorf("%s is a link that a run could have made", next)
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s has too many links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			resolved = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return resolved, nil
}
