//go:build linux

package main

// systemPaths are what programs need of the machine, to read and execute.
// Folders such as /var, /run and most of /etc stay out.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib64",
	"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/etc/pki", "/etc/protocols",
	"/etc/resolv.conf", "/etc/services", "/etc/ssl",
}

// systemFolders is how many of them are whole folders of the root.
const systemFolders = 5

var devices = []string{"null", "zero", "full", "random", "urandom"}
