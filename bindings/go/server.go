// Package kubemerge starts `kubemerge serve`, a Kubernetes API server in one process, for Go tests: in place of
// envtest, without kube-apiserver and etcd.
package kubemerge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// stopTimeout is how long the server may take to end before it is killed.
const stopTimeout = 5 * time.Second

// Options say how to start a server. The zero value is a fresh cluster.
type Options struct {
	// Binary is the command; by default that of the variable KUBEMERGE, or `kubemerge` on PATH.
	Binary string
	// Paths are files and folders with objects and CustomResourceDefinitions that the server begins with.
	Paths []string
	// Arguments are further arguments of `kubemerge serve`, such as "--create-namespaces".
	Arguments []string
}

// Server is a running API server.
type Server struct {
	// Config is for clients.
	Config *rest.Config

	command *exec.Cmd
	ended   chan error
}

// New starts a server that ends with the test. If the command is not installed, it skips the test; with the variable CI
// set it fails it, because a skipped test looks like one that passed there.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	server, err := Start(t.Context(), options)
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skip("kubemerge is not installed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Start starts a server and returns once it listens.
func Start(ctx context.Context, options Options) (*Server, error) {
	var stderr bytes.Buffer
	// The context of a test ends before its cleanup functions run, which stop the server in good order.
	command := exec.CommandContext(context.WithoutCancel(ctx), binary(options), arguments(options)...)
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	// The first line is the address, printed once the server listens.
	lines := bufio.NewReader(stdout)
	url, err := lines.ReadString('\n')
	ended := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		ended <- command.Wait()
	}()
	if err != nil {
		_ = command.Process.Kill()
		<-ended
		return nil, fmt.Errorf("kubemerge serve: %s", strings.TrimSpace(stderr.String()))
	}
	// No limit of our own: tests want answers at once.
	config := &rest.Config{Host: strings.TrimSpace(url), QPS: -1}
	return &Server{Config: config, command: command, ended: ended}, nil
}

// Stop ends the server. Nothing is kept.
func (s *Server) Stop() error {
	// Windows knows no such signal.
	if s.command.Process.Signal(os.Interrupt) != nil {
		_ = s.command.Process.Kill()
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopTimeout):
		_ = s.command.Process.Kill()
		<-s.ended
		return errors.New("kubemerge serve did not end, and was killed")
	}
}

func binary(options Options) string {
	if options.Binary != "" {
		return options.Binary
	}
	if named := os.Getenv("KUBEMERGE"); named != "" {
		return named
	}
	return "kubemerge"
}

func arguments(options Options) []string {
	all := []string{"serve"}
	for _, path := range options.Paths {
		all = append(all, "-f", path)
	}
	return append(all, options.Arguments...)
}
