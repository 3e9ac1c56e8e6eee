//! What went wrong, and where in which text.

use kubemerge::{Error, LoadError};
use kubemerge_value::Side;
use kubemerge_yaml::{YamlDocument, YamlError};
use serde::Serialize;

use crate::place::{TextPlace, place_of};

/// A fault of a request, for a program and for people. Boxed, because most calls succeed.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Failure(Box<FailureData>);

#[derive(Clone, Debug, Serialize)]
struct FailureData {
    /// A stable name, such as `missing-merge-key`.
    kind: String,
    /// Kubernetes' own words, where it has some.
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The text of the request that is at fault: `object`, `patch`, `schemas[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The field path.
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<TextPlace>,
    /// What the API server answers with.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
}

impl Failure {
    pub(crate) fn new(kind: &str, message: impl Into<String>) -> Failure {
        Failure(Box::new(FailureData {
            kind: kind.to_owned(),
            message: message.into(),
            hint: None,
            text: None,
            path: String::new(),
            place: None,
            status: None,
        }))
    }

    /// A request that cannot be read.
    pub(crate) fn request(error: &serde_json::Error) -> Failure {
        Failure::new("invalid-request", error.to_string())
    }

    pub(crate) fn with_hint(mut self, hint: Option<&str>) -> Failure {
        self.0.hint = hint.map(str::to_owned);
        self
    }

    pub(crate) fn with_status(mut self, status: u16) -> Failure {
        self.0.status = Some(status);
        self
    }

    pub(crate) fn with_path(mut self, path: &str) -> Failure {
        path.clone_into(&mut self.0.path);
        self
    }

    /// The same fault in this text of the request.
    pub(crate) fn in_text(mut self, text: &str) -> Failure {
        self.0.text = Some(text.to_owned());
        self
    }

    /// The same fault at this path of a document.
    pub(crate) fn at(mut self, document: &YamlDocument<'_>, path: &str) -> Failure {
        self.0.place = Some(place_of(document, path));
        self.with_path(path)
    }

    pub(crate) fn yaml(error: &YamlError) -> Failure {
        let position = error.position();
        let mut failure = Failure::new("invalid-yaml", error.message()).with_hint(error.hint());
        failure.0.place = Some(TextPlace::at_point(position.line, position.column));
        failure
    }

    pub(crate) fn schema(error: &LoadError) -> Failure {
        let failure = Failure::new(error.kind().name(), error.message()).with_hint(error.hint());
        failure.with_path(error.path())
    }
}

/// The two texts that a merge is about.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'d, 't> {
    pub(crate) object: &'d YamlDocument<'t>,
    pub(crate) patch: &'d YamlDocument<'t>,
}

impl Sides<'_, '_> {
    /// The fault of a merge, in the text that is to blame.
    pub(crate) fn failure(self, error: &Error) -> Failure {
        let (text, document) = match error.side() {
            Side::Live => ("object", self.object),
            Side::Patch => ("patch", self.patch),
        };
        let failure = Failure::new(error.kind().name(), error.message()).with_hint(error.hint());
        failure.at(document, error.path()).in_text(text).with_status(error.http_status())
    }
}
