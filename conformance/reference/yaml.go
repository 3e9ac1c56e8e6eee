package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// yamlToJSON follows sigs.k8s.io/yaml, which kubectl and the API server read YAML with.
func yamlToJSON(text string) (json.RawMessage, error) {
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, &Fault{Kind: "invalid-document", Message: err.Error()}
	}
	return converted, nil
}

// yamlOfJSON gives the text that kubectl prints for a JSON text.
func yamlOfJSON(text string) (json.RawMessage, error) {
	written, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		return nil, &Fault{Kind: "invalid-document", Message: err.Error()}
	}
	return json.Marshal(string(written))
}

// yamlStream is what kubectl reads from a text: the JSON texts of the documents that have a value, up to the
// first one that cannot be read.
type yamlStream struct {
	Documents []string `json:"docs"`
	Error     string   `json:"error,omitempty"`
}

func yamlDocuments(text string) (json.RawMessage, error) {
	stream := yamlStream{Documents: []string{}}
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			stream.Error = err.Error()
			break
		}
		if len(document) > 0 && string(document) != "null" {
			stream.Documents = append(stream.Documents, string(document))
		}
	}
	return json.Marshal(stream)
}
