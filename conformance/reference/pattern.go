package main

import (
	"encoding/json"
	"regexp"
)

// matchPattern compiles an expression as the API server compiles the patterns of custom resources.
func matchPattern(pattern string, samples []string) (json.RawMessage, error) {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, &Fault{Kind: "invalid-pattern", Message: err.Error()}
	}
	matches := make([][]int, len(samples))
	for i, sample := range samples {
		matches[i] = expression.FindStringIndex(sample)
	}
	return json.Marshal(matches)
}
