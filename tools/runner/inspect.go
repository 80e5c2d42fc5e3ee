package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path"
	"runtime/debug"
)

// maxInspectStackBytes ends the program, rather than the machine's memory, on expressions nested without end.
const maxInspectStackBytes = 256 << 20

// inspection is what the files of a configuration declare. Paths are relative
// to the inspected folder. Whoever decides by it must reject one with errors.
type inspection struct {
	Files           []string             `json:"files"`
	Errors          []inspectionError    `json:"errors"`
	Encryption      []placedType         `json:"encryption"`
	Providers       []declaredProvider   `json:"providers"`
	Modules         []declaredModule     `json:"modules"`
	Data            []declaredDataSource `json:"data"`
	Ephemeral       []declaredDataSource `json:"ephemeral"`
	Provisioners    []placedType         `json:"provisioners"`
	Backends        []placedType         `json:"backends"`
	Cloud           bool                 `json:"cloud"`
	TerraformBlocks int                  `json:"terraformBlocks"`
	// Functions are those of providers: provider::NAME::FUNCTION.
	Functions []string `json:"functions"`
}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

type inspectionError struct {
	place
	Message string `json:"message"`
}

type placedType struct {
	place
	Type string `json:"type"`
}

type declaredProvider struct {
	place
	Name    string `json:"name"`
	Source  string `json:"source,omitempty"`
	Version string `json:"version,omitempty"`
	// Implied is set where only the type of a resource names the provider.
	Implied bool `json:"implied,omitempty"`
}

type declaredModule struct {
	place
	Name string `json:"name"`
	// Source is null when it isn't a literal.
	Source  *string `json:"source"`
	Version string  `json:"version,omitempty"`
}

type declaredDataSource struct {
	place
	Type string `json:"type"`
	Name string `json:"name"`
}

func runInspect(args []string) error {
	flags := flag.NewFlagSet("inspect-tofu", flag.ContinueOnError)
	start := flags.String("start", ".", "folder in which OpenTofu runs")
	data := flags.String("data", "", "folder in which OpenTofu keeps modules (default: .terraform of the start)")
	withModules := flags.Bool("modules", false, "read the modules, too")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	if flags.NArg() != 1 {
		return errors.New("usage: fairlead-runner inspect-tofu [--modules] [--start DIR] [--data DIR] ROOT")
	}
	if *data == "" {
		*data = path.Join(*start, ".terraform")
	}
	debug.SetMaxStack(maxInspectStackBytes)
	found, err := inspectFolder(inspected{
		root: flags.Arg(0), start: path.Clean(*start), data: *data, withModules: *withModules,
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

func newInspection() *inspection {
	return &inspection{
		Files: []string{}, Errors: []inspectionError{}, Encryption: []placedType{}, Providers: []declaredProvider{},
		Modules: []declaredModule{}, Data: []declaredDataSource{}, Ephemeral: []declaredDataSource{},
		Provisioners: []placedType{}, Backends: []placedType{}, Functions: []string{},
	}
}

func (i *inspection) addError(file string, line int, message string) {
	i.Errors = append(i.Errors, inspectionError{place{file, line}, message})
}
