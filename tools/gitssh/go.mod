// An SSH server for git on loopback, for tests. Built on demand by packages/testkit (tools room).
module fairlead.dev/tools/gitssh

go 1.26.0

require golang.org/x/crypto v0.58.0

require golang.org/x/sys v0.49.0 // indirect
