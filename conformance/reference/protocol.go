package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Request is one line of input. Documents stay raw bytes until Kubernetes' own decoder reads them,
// so that 80 and 80.0 keep their types.
type Request struct {
	ID            json.RawMessage   `json:"id"`
	Op            string            `json:"op"`
	Dialect       string            `json:"dialect"`
	Schema        json.RawMessage   `json:"schema"`
	Kubernetes    string            `json:"kubernetes"`
	Metadata      string            `json:"metadata"`
	Type          string            `json:"type"`
	Original      json.RawMessage   `json:"original"`
	Modified      json.RawMessage   `json:"modified"`
	Current       json.RawMessage   `json:"current"`
	Patch         json.RawMessage   `json:"patch"`
	Patches       []json.RawMessage `json:"patches"`
	Overwrite     bool              `json:"overwrite"`
	Preconditions []string          `json:"preconditions"`
	Options       *DiffSwitches     `json:"options"`
	Text          *string           `json:"text"`
	Samples       []string          `json:"samples"`
	Of            *Request          `json:"of"`
	Repeat        int               `json:"repeat"`
	Scenario      *Scenario         `json:"scenario"`
}

// DiffSwitches are the options of the two-way diff that Kubernetes keeps to itself.
type DiffSwitches struct {
	SetElementOrder *bool `json:"setElementOrder"`
	IgnoreChanges   bool  `json:"ignoreChanges"`
	IgnoreDeletions bool  `json:"ignoreDeletions"`
}

// Reply is one line of output: exactly one of Result and Error.
type Reply struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *Fault          `json:"error,omitempty"`
	Variants []Reply         `json:"variants,omitempty"`
}

// Fault is an error of the catalogue. Upstream is "panic" where Kubernetes' code crashed.
type Fault struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Upstream string `json:"upstream,omitempty"`
}

func (f *Fault) Error() string { return f.Message }

func badRequest(format string, arguments ...any) *Fault {
	return &Fault{Kind: "bad-request", Message: fmt.Sprintf(format, arguments...)}
}

// readRequest refuses what no reference answer exists for.
func readRequest(line []byte) (Request, *Fault) {
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		var identified struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &identified)
		return Request{ID: identified.ID}, badRequest("the request cannot be read: %v", err)
	}
	return request, request.check()
}

func (r *Request) check() *Fault {
	switch {
	case r.Dialect == "kustomize" && r.Op != "apply":
		return badRequest("kustomize only applies patches, it does not know %q", r.Op)
	case r.Dialect != "" && r.Dialect != "upstream" && r.Dialect != "kustomize":
		return badRequest("the reference program knows the dialects upstream and kustomize, not %q", r.Dialect)
	case r.Kubernetes != "" && r.Kubernetes != kubernetesVersion():
		return badRequest("the reference program is built from Kubernetes %s, not %q", kubernetesVersion(), r.Kubernetes)
	case r.Repeat < 0:
		return badRequest("repeat must not be negative")
	case r.Op == "time" && r.Of == nil:
		return badRequest("time needs a request in `of`")
	case r.Op == "time" && r.Of.Op == "time":
		return badRequest("time of time is not an operation")
	case r.Op == "time":
		return r.Of.check()
	case (r.Op == "pattern" || r.Op == "cel" || strings.HasPrefix(r.Op, "yaml")) && r.Text == nil:
		return badRequest("%s needs `text`", r.Op)
	case r.Op == "conflicts" && len(r.Patches) != 2:
		return badRequest("conflicts needs exactly two patches, got %d", len(r.Patches))
	}
	return nil
}

// kubernetesVersion says which version the modules are of that this program is built with, such as 1.37.
var kubernetesVersion = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			minor := strings.Split(strings.TrimPrefix(module.Version, "v0."), ".")[0]
			return "1." + minor
		}
	}
	return ""
})
