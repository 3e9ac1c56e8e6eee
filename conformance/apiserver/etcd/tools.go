//go:build tools

// Package etcd pins the etcd that kube-apiserver stores its objects in. It is
// a module of its own: its dependencies differ from those of Kubernetes.
package etcd

import _ "go.etcd.io/etcd/server/v3"
