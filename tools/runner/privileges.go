//go:build linux

package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bits of <linux/securebits.h>: no capabilities for uid 0, none through ambient sets, and no way back.
const lockedSecurebits = 1<<0 | 1<<1 | 1<<5 | 1<<6 | 1<<7

// dropPrivileges changes this thread alone, which then executes the next
// program. uid 0 means that the uid stays.
func dropPrivileges(uid int) error {
	for capability := uintptr(0); ; capability++ {
		// EINVAL comes after the last one. Whoever gets EPERM can't lower the bound, and no_new_privs keeps it from mattering.
		if unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0) != nil {
			break
		}
	}
	unix.Prctl(unix.PR_SET_SECUREBITS, lockedSecurebits, 0, 0, 0)
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
	if uid != 0 {
		if errno != 0 {
			return fail("RUNNER_FENCE_FAILED", "the supplementary groups could not be dropped: %v", errno)
		}
		if err := setIDs(uid); err != nil {
			return err
		}
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
		return fail("RUNNER_FENCE_FAILED", "the capabilities could not be dropped: %v", errno)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail("RUNNER_FENCE_FAILED", "no_new_privs could not be set: %v", err)
	}
	return nil
}

func setIDs(uid int) error {
	id := uintptr(uid)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, id, id, id); errno != 0 {
		return fail("RUNNER_FENCE_FAILED", "gid %d could not be taken: %v", uid, errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id); errno != 0 {
		return fail("RUNNER_FENCE_FAILED", "uid %d could not be taken: %v", uid, errno)
	}
	return nil
}

// hasCapability tells whether this process may do what the capability stands for.
func hasCapability(capability uint) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return false
	}
	return data[capability/32].Effective&(1<<(capability%32)) != 0
}
