// Command oracle asks Kubernetes' own registries, in this process, what
// kube-apiserver would do with an object: no HTTP, no etcd, no admission.
// It reads one JSON request per line and writes one JSON response per line,
// in order. README.md of this module documents the protocol.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/capabilities"
)

func main() {
	// As with --allow-privileged.
	capabilities.Setup(true, 0)
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	reg, err := newRegistry()
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
	if err := reg.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

// maxPending bounds the lines that are read ahead of the slowest answer.
const maxPending = 64

// serve answers lines on all cores and writes the answers in order.
func (reg *registry) serve(in io.Reader, out io.Writer) error {
	type job struct {
		line   []byte
		answer chan []byte
	}
	jobs := make(chan job)
	pending := make(chan job, maxPending)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range jobs {
				j.answer <- reg.answerLine(j.line)
			}
		}()
	}
	readError := make(chan error, 1)
	go func() {
		defer close(pending)
		reader := bufio.NewReaderSize(in, 1<<20)
		for {
			line, err := reader.ReadBytes('\n')
			if len(line) > 1 {
				j := job{line, make(chan []byte, 1)}
				pending <- j
				jobs <- j
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				readError <- err
				return
			}
		}
	}()
	writer := bufio.NewWriterSize(out, 1<<20)
	for j := range pending {
		writer.Write(<-j.answer)
		// A caller that waits for this answer before it asks again gets it.
		if len(pending) == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
	if err := writer.Flush(); err != nil {
		return err
	}
	return <-readError
}

func (reg *registry) answerLine(line []byte) []byte {
	var req request
	var answer response
	if err := json.Unmarshal(line, &req); err != nil {
		answer = response{Code: http.StatusBadRequest, Panic: "oracle: request: " + err.Error()}
	} else {
		answer = reg.answer(&req)
	}
	answer.ID = req.ID
	encoded, err := json.Marshal(answer)
	if err != nil {
		encoded = []byte(fmt.Sprintf(`{"code":500,"panic":%q}`, "oracle: response: "+err.Error()))
	}
	// Errors about Jobs quote labels that have the random uid.
	if answer.Status != nil && bytes.Contains(encoded, []byte("controller-uid")) {
		encoded = randomUID.ReplaceAll(encoded, []byte(fixedUID))
	}
	return append(encoded, '\n')
}

var randomUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

func (reg *registry) answer(req *request) (answer response) {
	defer func() {
		if panicked := recover(); panicked != nil {
			answer = response{Code: http.StatusInternalServerError, Panic: fmt.Sprintf("%v\n%s", panicked, debug.Stack())}
		}
	}()
	switch req.Op {
	case "resources":
		return response{Code: http.StatusOK, Result: reg.describe()}
	case "schema":
		return response{Code: http.StatusOK, Result: reg.types()}
	}
	r, err := reg.find(req)
	if err != nil {
		return response{Code: http.StatusNotFound, Panic: "oracle: " + err.Error()}
	}
	switch req.Op {
	case "typed":
		return r.typed(req)
	case "decode":
		return r.decodeOnly(req)
	case "create":
		return r.create(req)
	case "update":
		return r.update(req)
	case "table":
		return r.table(req)
	case "reset":
		return response{Code: http.StatusOK, Result: r.resetFields()}
	}
	return response{Code: http.StatusBadRequest, Panic: fmt.Sprintf("oracle: no operation %q", req.Op)}
}
