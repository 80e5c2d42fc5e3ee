package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// The fences that an order can ask for.
const (
	separationNamespaces = "namespaces"
	separationUID        = "uid"
	separationContainer  = "container"
	separationNone       = "none"
)

const (
	defaultProcesses = 2048
	maxUID           = 1<<31 - 1
)

// order is the agent's first message: the program and its fence.
type order struct {
	// Argv starts with the program's absolute path.
	Argv []string `json:"argv"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
	// MemoryBytes limits the data of each process. 0: no limit.
	MemoryBytes uint64 `json:"memoryBytes,omitempty"`
	// Processes limits how many processes and threads the run's uid has.
	Processes  uint64 `json:"processes,omitempty"`
	Separation string `json:"separation"`
	// UID must be no other run's at the time: with separation uid all of its processes end with the run.
	UID int `json:"uid,omitempty"`
	// Write and Read are folders or files beside those of the system.
	Write []string `json:"write"`
	Read  []string `json:"read"`
	// Connect has the TCP ports that the run can connect to. Null: all ports.
	Connect *[]int `json:"connect"`
	// ShareGroup lets this process's group read and write the results.
	ShareGroup bool `json:"shareGroup,omitempty"`
	// Places has where the paths of Write and Read lead. Only this program's own stages are told.
	Places map[string]string `json:"places,omitempty"`
	// Probe asks what works here, in place of a run.
	Probe bool `json:"probe,omitempty"`
}

// parseOrder rejects unknown fields: one that this version ignores could be a
// fence that the agent counts on.
func parseOrder(payload []byte) (*order, error) {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.DisallowUnknownFields()
	var parsed order
	if err := decoder.Decode(&parsed); err != nil {
		return nil, fail("RUNNER_ORDER_INVALID", "the order is no valid JSON: %v", err)
	}
	if parsed.Probe {
		return &parsed, nil
	}
	if parsed.Places != nil {
		return nil, fail("RUNNER_ORDER_INVALID", "places can't be ordered")
	}
	if parsed.Processes == 0 {
		parsed.Processes = defaultProcesses
	}
	if problem := parsed.problem(); problem != "" {
		return nil, fail("RUNNER_ORDER_INVALID", "%s", problem)
	}
	return &parsed, nil
}

func (o *order) problem() string {
	if len(o.Argv) == 0 || !isPlainPath(o.Argv[0]) {
		return "argv must start with the absolute path of a program"
	}
	for _, text := range append(append([]string{}, o.Argv...), o.Env...) {
		if strings.ContainsRune(text, 0) {
			return "argv and env can't contain NUL"
		}
	}
	for _, variable := range o.Env {
		if strings.IndexByte(variable, '=') < 1 {
			return "each entry of env must be NAME=VALUE"
		}
	}
	if !isPlainPath(o.Dir) {
		return "dir must be an absolute path"
	}
	for _, path := range append(append([]string{}, o.Write...), o.Read...) {
		if !isPlainPath(path) || path == "/" {
			return "each path of write and read must be absolute, clean and not the root: " + path
		}
	}
	if o.UID < 0 || o.UID > maxUID {
		return "uid is out of range"
	}
	for _, port := range o.ports() {
		if port < 1 || port > 65535 {
			return "each port of connect must be between 1 and 65535"
		}
	}
	switch o.Separation {
	case separationNamespaces, separationContainer, separationNone:
		return ""
	case separationUID:
		if o.UID == 0 {
			return "separation uid needs a uid above 0"
		}
		return ""
	default:
		return "separation must be namespaces, uid, container or none"
	}
}

func (o *order) ports() []int {
	if o.Connect == nil {
		return nil
	}
	return *o.Connect
}

// isPlainPath accepts no "..", no "//" and no trailing slash, so that a path
// names the same file inside and outside of the fence.
func isPlainPath(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && !strings.ContainsRune(path, 0)
}
