//! Carries a request out with our engine.

use kubemerge::{Object, Patch, PatchType, RuleSource};
use kubemerge_schema::Schema;
use kubemerge_value::{Canonical, Document, Node, to_canonical, to_value};
use kubemerge_yaml as yaml;
use serde_json::Value;

use super::{
    generated,
    refusal::Refusal,
    request::{Api, Request},
    schemas::type_of,
};

/// The text of a result.
pub(crate) type Answer = Vec<u8>;

/// The result of a request.
pub(super) fn carry_out(request: &Request<'_>, schema: Option<&Schema>) -> Result<Answer, Refusal> {
    match (request.op, schema) {
        ("yaml", _) => yaml_to_json(request),
        ("merge-patch", _) => patched(request, RuleSource::None, PatchType::Merge),
        ("json-patch", _) => patched(request, RuleSource::None, PatchType::Json),
        ("apply", Some(schema)) => {
            let rules = RuleSource::Type(type_of(schema, request)?);
            patched(request, rules, PatchType::Strategic)
        }
        ("diff", Some(schema)) => generated::two_way(request, type_of(schema, request)?),
        ("three-way", Some(schema)) => generated::three_way(request, type_of(schema, request)?),
        ("json-three-way", _) => generated::json_three_way(request),
        ("compose", Some(schema)) => generated::composed(request, type_of(schema, request)?),
        ("conflicts", Some(schema)) => generated::disagree(request, type_of(schema, request)?),
        (unknown, _) => Err(Refusal::bad_request(format!("there is no operation {unknown:?}"))),
    }
}

/// Applies a patch of any type through the interface that is asked for.
fn patched(request: &Request<'_>, rules: RuleSource<'_>, patch_type: PatchType) -> Result<Answer, Refusal> {
    let (live, patch) = (request.document("original"), request.document("patch"));
    match request.api {
        // This interface keeps the order of members; replies are compared in canonical form.
        Api::Checked => canonical_text(apply(rules, patch_type, live, patch)?.as_bytes()),
        Api::Canonical => {
            let live = Canonical::from_bytes(live.as_bytes())?;
            let patch = Canonical::from_bytes(patch.as_bytes())?;
            Ok(apply(rules, patch_type, &live, &patch)?.into_bytes())
        }
        Api::Value => value_text(&apply(rules, patch_type, &value(live)?, &value(patch)?)?),
    }
}

fn apply<O: Object + ?Sized>(
    rules: RuleSource<'_>,
    patch_type: PatchType,
    live: &O,
    patch: &O,
) -> Result<O::Output, kubemerge::Error> {
    kubemerge::apply(rules, live, &Patch::new(patch_type, patch)?)
}

/// A value as the protocol reads it: `serde_json` alone would read `-0` as a float.
pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    Ok(to_value(Document::check(text.as_bytes())?.node())?)
}

pub(super) fn value_text(value: &Value) -> Result<Answer, Refusal> {
    Ok(to_canonical(Node::from_value(value)?).into_bytes())
}

fn canonical_text(text: &[u8]) -> Result<Answer, Refusal> {
    Ok(to_canonical(Document::check(text)?.node()).into_bytes())
}

/// The first document of a text, as Go's reader takes it.
fn yaml_to_json(request: &Request<'_>) -> Result<Answer, Refusal> {
    let text = request.text.as_deref().ok_or_else(|| Refusal::bad_request("yaml needs `text`"))?;
    // sigs.k8s.io/yaml without `Strict` takes the last one.
    let options = yaml::Options { duplicate_keys: yaml::DuplicateKeys::LastWins, ..yaml::Options::default() };
    let first = yaml::documents(text.as_bytes(), &options)?.next().transpose()?;
    let json = first.map_or_else(|| Ok(b"null".to_vec()), |document| document.to_json())?;
    canonical_text(&json)
}

impl From<kubemerge::Error> for Refusal {
    fn from(error: kubemerge::Error) -> Refusal {
        Refusal::at(error.kind().name(), error.message(), error.path())
    }
}

impl From<kubemerge_value::ParseError> for Refusal {
    fn from(error: kubemerge_value::ParseError) -> Refusal {
        Refusal::new("invalid-document", error.to_string())
    }
}

impl From<yaml::YamlError> for Refusal {
    fn from(error: yaml::YamlError) -> Refusal {
        Refusal::new("invalid-document", error.to_string())
    }
}
