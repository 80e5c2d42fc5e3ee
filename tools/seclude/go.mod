module fairlead.dev/tools/seclude

go 1.26.0
