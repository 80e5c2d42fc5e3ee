//go:build linux

package main

import "maps"

// names is the tree of folders as far as it is durable, and the changes to it
// that are not yet.
//
// A sync makes durable all changes of names in the folder that is synced, and
// those of the synced file or folder itself: its creation, its renames, and so
// with all folders above it. POSIX promises the first alone; the second is what
// ext4, XFS and Btrfs do, and programs such as PostgreSQL build on it. Other
// names do not come along, although on ext4 they would.
//
// A change is durable whole (a rename never leaves two names or none) and not
// before the older changes of the same names.
type names struct {
	durable map[uint64]map[string]uint64
	pending []*nameChange
}

type slot struct {
	folder uint64
	name   string
}

// nameChange is one record's effect on names: each slot gets a node, or 0 for none.
type nameChange struct {
	node uint64
	sets []slotValue
}

type slotValue struct {
	slot
	node uint64
}

func newNames() *names {
	return &names{durable: map[uint64]map[string]uint64{}}
}

func (n *names) clone() *names {
	durable := map[uint64]map[string]uint64{}
	for folder, children := range n.durable {
		durable[folder] = maps.Clone(children)
	}
	return &names{durable: durable, pending: append([]*nameChange{}, n.pending...)}
}

func (n *names) change(r record) {
	from, to := slot{r.Folder, r.Name}, slot{r.ToFolder, r.ToName}
	switch r.Kind {
	case kindCreate, kindLink:
		n.add(r.Node, slotValue{from, r.Node})
	case kindUnlink:
		n.add(r.Node, slotValue{from, 0})
	case kindRename:
		n.add(r.Node, slotValue{from, 0}, slotValue{to, r.Node})
	}
}

func (n *names) add(node uint64, sets ...slotValue) {
	n.pending = append(n.pending, &nameChange{node, sets})
}

// sync commits what a sync of this file or folder makes durable.
func (n *names) sync(node uint64) {
	n.commit(func(c *nameChange) bool { return c.node == node || c.isIn(node) })
}

// commit makes durable the changes that are wanted, and those that they rest on. As these are always older, one pass
// from the newest to the oldest finds all.
func (n *names) commit(isWanted func(*nameChange) bool) {
	slots, nodes := map[slot]bool{}, map[uint64]bool{}
	committed := make([]bool, len(n.pending))
	for index := len(n.pending) - 1; index >= 0; index-- {
		change := n.pending[index]
		if !isWanted(change) && !nodes[change.node] && !change.touches(slots) {
			continue
		}
		committed[index] = true
		for _, set := range change.sets {
			slots[set.slot], nodes[set.folder] = true, true
		}
	}
	remaining := n.pending[:0:0]
	for index, change := range n.pending {
		if committed[index] {
			n.set(change)
		} else {
			remaining = append(remaining, change)
		}
	}
	n.pending = remaining
}

func (n *names) set(change *nameChange) {
	for _, set := range change.sets {
		if n.durable[set.folder] == nil {
			n.durable[set.folder] = map[string]uint64{}
		}
		if set.node == 0 {
			delete(n.durable[set.folder], set.name)
		} else {
			n.durable[set.folder][set.name] = set.node
		}
	}
}

func (c *nameChange) isIn(folder uint64) bool {
	for _, set := range c.sets {
		if set.folder == folder {
			return true
		}
	}
	return false
}

func (c *nameChange) touches(slots map[slot]bool) bool {
	for _, set := range c.sets {
		if slots[set.slot] {
			return true
		}
	}
	return false
}
