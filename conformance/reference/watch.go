package main

import "k8s.io/apimachinery/pkg/util/strategicpatch"

// lookupWatch remembers the merge key of the last list that was looked up. Only with it can a
// crash be told apart: comparing key values, or comparing the elements of a list without a key.
type lookupWatch struct {
	lastMergeKey string
}

// watched passes look-ups on and tells the watch.
type watched struct {
	inner strategicpatch.LookupPatchMeta
	watch *lookupWatch
}

func (w watched) Name() string { return w.inner.Name() }

func (w watched) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	below, rule, err := w.inner.LookupPatchMetadataForStruct(key)
	return w.wrap(below), rule, err
}

func (w watched) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	below, rule, err := w.inner.LookupPatchMetadataForSlice(key)
	w.watch.lastMergeKey = rule.GetPatchMergeKey()
	return w.wrap(below), rule, err
}

// wrap keeps a missing schema missing: what Kubernetes does with it must not change.
func (w watched) wrap(below strategicpatch.LookupPatchMeta) strategicpatch.LookupPatchMeta {
	if below == nil {
		return nil
	}
	return watched{inner: below, watch: w.watch}
}
