//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// relayAll takes a listening socket of the new network for each port and
// answers it from the machine's own loopback.
func relayAll(handOver int, ports []int) error {
	defer syscall.Close(handOver)
	for _, port := range ports {
		listener, err := receive(handOver)
		if err != nil {
			return fmt.Errorf("port %d was not handed out: %w", port, err)
		}
		go relay(listener, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return nil
}

func receive(handOver int) (net.Listener, error) {
	data, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(4))
	_, rightsLength, _, _, err := syscall.Recvmsg(handOver, data, rights, syscall.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:rightsLength])
	if err != nil || len(messages) == 0 {
		return nil, errors.Join(errors.New("nothing came"), err)
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(files[0]), "listener")
	defer file.Close()
	return net.FileListener(file)
}

func relay(listener net.Listener, address string) {
	for {
		inner, err := listener.Accept()
		if err != nil {
			return
		}
		go join(inner.(*net.TCPConn), address)
	}
}

// join ends a direction when its source does, and both when one of them breaks.
func join(inner *net.TCPConn, address string) {
	defer inner.Close()
	dialed, err := net.Dial("tcp4", address)
	if err != nil {
		// The command sees a reset where it would have been refused.
		inner.SetLinger(0)
		return
	}
	outer := dialed.(*net.TCPConn)
	defer outer.Close()
	done := make(chan struct{}, 2)
	copyHalf := func(to, from *net.TCPConn) {
		if _, err := io.Copy(to, from); err != nil {
			to.Close()
			from.Close()
		}
		to.CloseWrite()
		done <- struct{}{}
	}
	go copyHalf(outer, inner)
	go copyHalf(inner, outer)
	<-done
	<-done
}
