//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
)

// survival says what of that which was not synced is found after the power cut
// all the same: a kernel writes back what it likes, when it likes.
type survival struct {
	// Asked for each change of a name, mode or owner, and for each page of a write.
	name, page func() bool
}

func chooseSurvival(unsynced string, seed uint64) (survival, error) {
	random := rand.New(rand.NewPCG(seed, seed))
	coin := func() bool { return random.IntN(2) == 0 }
	switch unsynced {
	case "", "lost":
		return survival{never, never}, nil
	case "names":
		// A file that was renamed into place without a sync is there, and empty.
		return survival{always, never}, nil
	case "some":
		return survival{coin, coin}, nil
	case "all":
		return survival{always, always}, nil
	}
	return survival{}, fmt.Errorf("unsynced is lost, names, some or all, not %q", unsynced)
}

func always() bool { return true }
func never() bool  { return false }
