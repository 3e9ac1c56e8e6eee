package main

import (
	"encoding/hex"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/registry/rest"
)

// maxSummary is how much of an unrecognized body an error quotes.
const maxSummary = 30

func (r *resource) jsonInfo() runtime.SerializerInfo {
	info, _ := runtime.SerializerInfoForMediaType(r.serializer.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return info
}

// decoded is a body as the registry gets it: internal and with defaults.
type decoded struct {
	object   runtime.Object
	warnings []string
}

// decode reads a body as the request handlers do.
func (r *resource) decode(body []byte, fieldValidation string) (decoded, error) {
	into := r.storage.New()
	serializer := r.jsonInfo().StrictSerializer
	if fieldValidation == metav1.FieldValidationIgnore {
		serializer = r.jsonInfo().Serializer
	}
	internal := schema.GroupVersion{Group: r.kind.Group, Version: runtime.APIVersionInternal}
	object, gvk, err := r.serializer.DecoderToVersion(serializer, internal).Decode(body, &r.kind, into)
	var warnings []string
	if err != nil {
		strict, isStrict := runtime.AsStrictDecodingError(err)
		if !isStrict || object == nil || fieldValidation == metav1.FieldValidationStrict {
			return decoded{}, r.decodeError(err, into, gvk, body)
		}
		for _, e := range strict.Errors() {
			warnings = append(warnings, e.Error())
		}
	}
	if !r.accepts(gvk.GroupVersion()) {
		return decoded{}, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
			gvk.GroupVersion(), r.kind.GroupVersion()))
	}
	return decoded{object, warnings}, nil
}

func (r *resource) accepts(version schema.GroupVersion) bool {
	if acceptor, ok := r.storage.(rest.GroupVersionAcceptor); ok {
		return acceptor.AcceptsGroupVersion(version)
	}
	return version == r.kind.GroupVersion()
}

func (r *resource) decodeError(cause error, into runtime.Object, gvk *schema.GroupVersionKind, body []byte) error {
	kinds, _, err := r.scheme.ObjectKinds(into)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if gvk != nil && gvk.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, kinds[0].Kind, cause))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kinds[0].Kind, cause, summary(body)))
}

// summary quotes the start of a body, as text if it looks like JSON.
func summary(body []byte) string {
	if len(body) == 0 {
		return "<empty>"
	}
	start, more := body, ""
	if len(body) > maxSummary {
		start, more = body[:maxSummary], " ..."
	}
	if body[0] == '{' {
		return string(start) + more
	}
	return hex.EncodeToString(start) + more
}

// encode writes an object in the version of the request.
func (r *resource) encode(object runtime.Object) ([]byte, error) {
	version := runtime.GroupVersioner(r.kind.GroupVersion())
	if _, isStatus := object.(*metav1.Status); isStatus {
		version = schema.GroupVersion{Version: "v1"}
	}
	return runtime.Encode(r.serializer.EncoderForVersion(r.jsonInfo().Serializer, version), object)
}

func (r *resource) accepted(code int, object runtime.Object, warnings []string) response {
	encoded, err := r.encode(object)
	if err != nil {
		return refused(err, warnings)
	}
	return response{Code: code, Object: encoded, Warnings: warnings}
}

func refused(err error, warnings []string) response {
	status := responsewriters.ErrorToAPIStatus(err)
	return response{Code: int(status.Code), Status: status, Warnings: warnings}
}

// typed reads the body into the Go type of its version and writes it again,
// without defaults and conversion.
func (r *resource) typed(req *request) response {
	object, err := r.scheme.New(r.kind)
	if err != nil {
		return refused(err, nil)
	}
	serializer := r.jsonInfo().StrictSerializer
	object, _, err = serializer.Decode(req.body(), &r.kind, object)
	var warnings []string
	if strict, ok := runtime.AsStrictDecodingError(err); ok && object != nil {
		for _, e := range strict.Errors() {
			warnings = append(warnings, e.Error())
		}
	} else if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()), nil)
	}
	encoded, err := runtime.Encode(r.jsonInfo().Serializer, object)
	if err != nil {
		return refused(err, warnings)
	}
	return response{Code: http.StatusOK, Object: encoded, Warnings: warnings}
}

// decodeOnly reads the body with defaults and writes it again.
func (r *resource) decodeOnly(req *request) response {
	body, err := r.decode(req.body(), req.FieldValidation)
	if err != nil {
		return refused(err, nil)
	}
	return r.accepted(http.StatusOK, body.object, body.warnings)
}
