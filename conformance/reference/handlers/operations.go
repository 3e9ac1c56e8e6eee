// Package handlers has the name of the API server's package, since Go prints it in error messages.
package handlers

import kubejson "sigs.k8s.io/json"

// jsonPatchOp is the form in which the API server checks the types of an operation's members.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// CheckOperations decodes a JSON patch for the sake of the errors.
func CheckOperations(patch []byte) error {
	var operations []jsonPatchOp
	_, err := kubejson.UnmarshalStrict(patch, &operations)
	return err
}
