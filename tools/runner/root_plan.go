//go:build linux

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// rootPlan is what shows in a run's root: opened while the machine's is in place.
type rootPlan struct {
	system  []*bound
	ordered []*bound
	// links are folders of the system that are links, such as /bin.
	links []link
	// aliases are paths of the order that lead over links.
	aliases []link
	// places are those of the order.
	places map[string]string
}

type link struct{ path, to string }

func planRoot(ordered *order) (*rootPlan, error) {
	if _, err := os.Stat(ordered.Argv[0]); err != nil {
		return nil, fail("RUNNER_PROGRAM_MISSING", "the program can't be found: %v", err)
	}
	plan := &rootPlan{places: ordered.Places}
	for _, path := range systemPaths {
		if err := plan.addSystem(path); err != nil {
			return nil, fail("RUNNER_FENCE_FAILED", "%v", err)
		}
	}
	for _, name := range devices {
		device, err := openTree("/dev/"+name, deviceFit)
		if err != nil {
			return nil, fail("RUNNER_FENCE_FAILED", "%v", err)
		}
		plan.system = append(plan.system, device)
	}
	wanted := map[string]uint64{}
	shown := append(append(slices.Clone(systemPaths[:systemFolders]), ordered.Read...), ordered.Write...)
	for _, folder := range programFolders(ordered.Argv[0]) {
		// Not when it lies in another one: that may be one to write.
		if !isBelow(folder, shown) {
			wanted[folder] = readOnly
		}
	}
	for _, path := range ordered.Read {
		wanted[path] = readOnly
	}
	for _, path := range ordered.Write {
		wanted[path] = writable
	}
	if err := plan.addOrdered(wanted); err != nil {
		return nil, fail("RUNNER_ORDER_INVALID", "%v", err)
	}
	return plan, nil
}

func (p *rootPlan) addSystem(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	if isTopFolder := filepath.Dir(path) == "/"; isTopFolder && info.Mode().Type() == os.ModeSymlink {
		to, err := os.Readlink(path)
		p.links = append(p.links, link{path, to})
		return err
	}
	if _, err := os.Stat(path); err != nil {
		// A link to nowhere, such as resolv.conf on a machine without a resolver.
		return nil
	}
	part, err := openTree(path, readOnly)
	if err != nil {
		return err
	}
	p.system = append(p.system, part)
	return nil
}

// addOrdered binds outer folders first, so that inner ones show within them.
func (p *rootPlan) addOrdered(wanted map[string]uint64) error {
	byPlace := map[string]uint64{}
	for path, attributes := range wanted {
		place, err := p.resolve(path)
		if err != nil {
			return err
		}
		if place != path {
			p.aliases = append(p.aliases, link{path, place})
		}
		if _, twice := byPlace[place]; !twice || attributes == writable {
			byPlace[place] = attributes
		}
	}
	for place, attributes := range byPlace {
		part, err := openTree(place, attributes)
		if err != nil {
			return err
		}
		p.ordered = append(p.ordered, part)
	}
	slices.SortFunc(p.ordered, func(a, b *bound) int { return cmp.Compare(a.path, b.path) })
	return nil
}

// resolve trusts every link on the way to the program: whoever chose it chose the links, too.
func (p *rootPlan) resolve(path string) (string, error) {
	if place, ok := p.places[path]; ok {
		return place, nil
	}
	return filepath.EvalSymlinks(path)
}

// addAliases makes the paths of the order that the root doesn't have yet.
func (p *rootPlan) addAliases(root int) error {
	slices.SortFunc(p.aliases, func(a, b link) int { return cmp.Compare(a.path, b.path) })
	for _, alias := range p.aliases {
		relative := strings.TrimPrefix(alias.path, "/")
		fd, err := unix.Openat2(root, relative, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT})
		if err == nil {
			unix.Close(fd)
			continue
		}
		folder, err := makePlace(root, filepath.Dir(alias.path), true)
		if err != nil {
			return fail("RUNNER_FENCE_FAILED", "there is no place for %s: %v", alias.path, err)
		}
		err = unix.Symlinkat(alias.to, folder, filepath.Base(alias.path))
		unix.Close(folder)
		if err != nil {
			return fail("RUNNER_FENCE_FAILED", "%s can't be linked: %v", alias.path, err)
		}
	}
	return nil
}
