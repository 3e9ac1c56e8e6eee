//go:build tools

// Package apiserver pins the commands that `cargo xtask apiserver build`
// builds from Kubernetes' own sources. It has no code of its own.
package apiserver

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
