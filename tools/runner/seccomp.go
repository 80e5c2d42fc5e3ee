//go:build linux

package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg    = 16
)

const allow = unix.SECCOMP_RET_ALLOW

// refusedCalls reach parts of the kernel that no command's program needs. io_uring goes around this filter.
var refusedCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_SETNS, unix.SYS_FSOPEN, unix.SYS_FSPICK,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

// filterCalls closes what Landlock leaves open: ways to connect that don't
// pass connect(2) or aren't plain TCP, and user namespaces, in which a program
// would have capabilities again.
func filterCalls(limitsConnections bool) error {
	program := buildFilter(limitsConnections)
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return fail("RUNNER_FENCE_FAILED", "the filter of system calls could not be set: %v", errno)
	}
	return nil
}

func buildFilter(limitsConnections bool) []unix.SockFilter {
	program := []unix.SockFilter{
		load(dataArch), jumpIfEqual(nativeArch, 1, 0), result(refuse(unix.ENOSYS)),
		// x32 calls of amd64 have other numbers for the same calls.
		load(dataNumber), jumpIfSet(1<<30, 0, 1), result(refuse(unix.ENOSYS)),
	}
	for _, number := range refusedCalls {
		program = onCall(program, number, result(refuse(unix.EPERM)))
	}
	// The C library falls back to clone, whose flags can be read here.
	program = onCall(program, unix.SYS_CLONE3, result(refuse(unix.ENOSYS)))
	for _, number := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		program = onCall(program, number, refuseIfSet(0, unix.CLONE_NEWUSER, unix.EPERM)...)
	}
	if !limitsConnections {
		return append(program, result(allow))
	}
	// Data that opens a connection by itself.
	program = onCall(program, unix.SYS_SENDTO, refuseIfSet(3, unix.MSG_FASTOPEN, unix.EOPNOTSUPP)...)
	program = onCall(program, unix.SYS_SENDMMSG, refuseIfSet(3, unix.MSG_FASTOPEN, unix.EOPNOTSUPP)...)
	program = onCall(program, unix.SYS_SENDMSG, refuseIfSet(2, unix.MSG_FASTOPEN, unix.EOPNOTSUPP)...)
	program = onCall(program, unix.SYS_SOCKET, onlyPlainSockets()...)
	return append(program, result(allow))
}

// onlyPlainSockets allows TCP, UDP, unix sockets and netlink.
func onlyPlainSockets() []unix.SockFilter {
	return []unix.SockFilter{
		load(dataArg),
		jumpIfEqual(unix.AF_UNIX, 13, 0),
		jumpIfEqual(unix.AF_NETLINK, 12, 0),
		jumpIfEqual(unix.AF_INET, 1, 0),
		jumpIfEqual(unix.AF_INET6, 0, 11),
		load(dataArg + 8),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf},
		jumpIfEqual(unix.SOCK_STREAM, 0, 3),
		load(dataArg + 16),
		jumpIfEqual(0, 5, 0),
		jumpIfEqual(unix.IPPROTO_TCP, 4, 5),
		jumpIfEqual(unix.SOCK_DGRAM, 0, 4),
		load(dataArg + 16),
		jumpIfEqual(0, 1, 0),
		jumpIfEqual(unix.IPPROTO_UDP, 0, 1),
		result(allow),
		result(refuse(unix.EPROTONOSUPPORT)),
	}
}

// onCall runs the block for one system call. The block must end in a result.
func onCall(program []unix.SockFilter, number uint32, block ...unix.SockFilter) []unix.SockFilter {
	return append(append(program, jumpIfEqual(number, 0, uint8(len(block)))), block...)
}

func refuseIfSet(argument, bits uint32, errno unix.Errno) []unix.SockFilter {
	return []unix.SockFilter{load(dataArg + 8*argument), jumpIfSet(bits, 0, 1), result(refuse(errno)), result(allow)}
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jumpIfEqual(value uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: value}
}

func jumpIfSet(bits uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: yes, Jf: no, K: bits}
}

func result(value uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
}

func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }
