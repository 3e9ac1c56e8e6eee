package kubemerge_test

import (
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	kubemerge "kubemerge.example/go"
)

func pod(containers ...corev1.Container) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{Containers: containers}}
}

func TestAPatchMergesAsInACluster(t *testing.T) {
	pods := kubernetes.NewForConfigOrDie(kubemerge.New(t, kubemerge.Options{}).Config).CoreV1().Pods("default")
	both := pod(corev1.Container{Name: "web", Image: "web:1"}, corev1.Container{Name: "log", Image: "log:7"})
	if _, err := pods.Create(t.Context(), both, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch := []byte(`{"spec": {"containers": [{"name": "web", "image": "web:2"}]}}`)
	patched, err := pods.Patch(t.Context(), "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := patched.Spec.Containers; len(got) != 2 || got[0].Image != "web:2" || got[1].Image != "log:7" {
		t.Errorf("got %v", got)
	}
}

func TestWhatKubernetesRefusesIsRefused(t *testing.T) {
	pods := kubernetes.NewForConfigOrDie(kubemerge.New(t, kubemerge.Options{}).Config).CoreV1().Pods("default")
	if _, err := pods.Create(t.Context(), pod(), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("got %v", err)
	}
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	kubemerge.New(t, kubemerge.Options{}) // skips without the command
	_, err := kubemerge.Start(t.Context(), kubemerge.Options{Paths: []string{"missing.yaml"}})
	if err == nil {
		t.Error("a missing file is no error")
	}
}

// outcome records how a test ends.
type outcome struct {
	testing.TB
	skipped, failed bool
}

func (o *outcome) Skip(...any) {
	o.skipped = true
	runtime.Goexit()
}

func (o *outcome) Fatal(...any) {
	o.failed = true
	runtime.Goexit()
}

// withoutCommand is how a test ends that finds no command.
func withoutCommand(t *testing.T, ci string) *outcome {
	t.Setenv("CI", ci)
	ended := &outcome{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		kubemerge.New(ended, kubemerge.Options{Binary: "no-such-kubemerge"})
	}()
	<-done
	return ended
}

func TestAMissingCommandFailsInCI(t *testing.T) {
	if ended := withoutCommand(t, ""); !ended.skipped || ended.failed {
		t.Error("a machine without CI does not skip")
	}
	if ended := withoutCommand(t, "true"); ended.skipped || !ended.failed {
		t.Error("CI does not fail")
	}
}
