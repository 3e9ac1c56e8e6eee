//! Media types: what a body is, and in which form the answer is wanted.

use http::{HeaderMap, HeaderValue};

use crate::protocol::status::{Outcome, bad_request, not_acceptable, unsupported_media_type};

pub(crate) const JSON: &str = "application/json";
pub(crate) const YAML: &str = "application/yaml";
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(crate) const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
pub(crate) const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

/// The encoding of a body; none given means JSON.
pub(crate) fn body_encoding(headers: &HeaderMap, protobuf_understood: bool) -> Outcome<Encoding> {
    match content_type(headers) {
        None | Some(JSON) => Ok(Encoding::Json),
        Some(YAML) => Ok(Encoding::Yaml),
        Some(PROTOBUF) if protobuf_understood => Ok(Encoding::Protobuf),
        Some(_) if protobuf_understood => Err(unsupported_media_type(&[JSON, YAML, PROTOBUF])),
        Some(_) => Err(unsupported_media_type(&[JSON, YAML])),
    }
}

/// The content type without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(http::header::CONTENT_TYPE).and_then(without_parameters)
}

/// Whether a request is a server-side apply.
pub(crate) fn is_apply(headers: &HeaderMap) -> bool {
    content_type(headers) == Some(APPLY_PATCH)
}

/// A media type without its parameters; none if nothing is left.
fn without_parameters(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok().map(essence).filter(|name| !name.is_empty())
}

/// A media type without its parameters.
pub(crate) fn essence(media_type: &str) -> &str {
    media_type.split_once(';').map_or(media_type, |(name, _)| name).trim()
}

/// The version of `meta.k8s.io` a converted answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    V1,
    V1Beta1,
}

impl MetaVersion {
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            MetaVersion::V1 => "meta.k8s.io/v1",
            MetaVersion::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// Which objects the rows of a table carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Metadata,
    Object,
    None,
}

/// The form of an answer about objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Table(MetaVersion, Include),
    Partial(MetaVersion),
    PartialList(MetaVersion),
}

/// One clause of an Accept header.
pub(crate) struct Clause<'a> {
    media: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Clause<'a> {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let parameters = parts.filter_map(|part| part.split_once('=')).collect();
        Clause { media, parameters }
    }

    pub(crate) fn parameter(&self, key: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// Whether JSON satisfies the clause.
    pub(crate) fn takes_json(&self) -> bool {
        matches!(self.media, JSON | "*/*" | "application/*")
    }

    /// Whether objects can be written so.
    fn is_served(&self) -> bool {
        self.takes_json() || self.media == YAML
    }
}

/// The clauses of the Accept headers, in order.
pub(crate) fn accept(headers: &HeaderMap) -> Vec<Clause<'_>> {
    let values = headers.get_all(http::header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|text| Clause::parse(text.trim())).collect()
}

/// Whether YAML is the first that a client names of what it can get.
pub(crate) fn wants_yaml(headers: &HeaderMap) -> bool {
    let names_yaml = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.contains(YAML));
    headers.get_all(http::header::ACCEPT).iter().any(names_yaml)
        && accept(headers).iter().find(|clause| clause.is_served()).is_some_and(|clause| clause.media == YAML)
}

/// The form in which a client wants objects: the first clause that can be satisfied.
pub(crate) fn form(headers: &HeaderMap, include_object: Option<&str>) -> Outcome<Form> {
    // Most clients want plain JSON.
    // Checked first, because it saves parsing the header.
    if headers.get(http::header::ACCEPT).is_none_or(|value| value == JSON) {
        return Ok(Form::Whole);
    }
    let clauses = accept(headers);
    if clauses.is_empty() {
        return Ok(Form::Whole);
    }
    let include = include(include_object);
    for clause in clauses.iter().filter(|clause| clause.is_served()) {
        let version = match clause.parameter("v") {
            Some("v1beta1") => MetaVersion::V1Beta1,
            _ => MetaVersion::V1,
        };
        let known = clause.parameter("g") == Some("meta.k8s.io")
            && matches!(clause.parameter("v"), Some("v1" | "v1beta1"));
        match clause.parameter("as") {
            // The first clause that can be served wins; quality values are ignored.
            None => return Ok(Form::Whole),
            Some("Table") if known => return Ok(Form::Table(version, include?)),
            Some("PartialObjectMetadata") if known => return Ok(Form::Partial(version)),
            Some("PartialObjectMetadataList") if known => return Ok(Form::PartialList(version)),
            Some(_) => {}
        }
    }
    Err(not_acceptable(&[JSON, YAML]))
}

fn include(text: Option<&str>) -> Outcome<Include> {
    match text {
        None | Some("Metadata") => Ok(Include::Metadata),
        Some("Object") => Ok(Include::Object),
        Some("None") => Ok(Include::None),
        Some(other) => Err(bad_request(format!(
            "includeObject: Unsupported value: {other:?}: supported values: \"Metadata\", \"None\", \"Object\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(accept: &str) -> Result<Form, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, accept.parse().unwrap());
        form(&headers, None).map_err(|failure| failure.code())
    }

    #[test]
    fn the_first_usable_clause_counts() {
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        assert_eq!(wanted(table), Ok(Form::Table(MetaVersion::V1, Include::Metadata)));
        assert_eq!(wanted("application/vnd.kubernetes.protobuf,application/json"), Ok(Form::Whole));
        assert_eq!(wanted("application/json;as=Other;v=v1;g=x, */*"), Ok(Form::Whole));
        assert_eq!(
            wanted("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
            Ok(Form::PartialList(MetaVersion::V1))
        );
        assert_eq!(wanted("application/cbor"), Err(406));
    }
}
