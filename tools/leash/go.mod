module fairlead.dev/tools/leash

go 1.26.0
