//! A line of input, taken apart without touching its documents.

use std::borrow::Cow;

use kubemerge_schema::Dialect;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::refusal::Refusal;

/// Which of our interfaces answers.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Api {
    /// `serde_json::Value` in and out.
    Value,
    /// Bytes that are not checked yet.
    #[default]
    Checked,
    /// Bytes in canonical form.
    Canonical,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DialectName {
    #[default]
    Upstream,
    Spec,
    Kustomize,
}

/// Switches of the two-way diff.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Switches {
    #[serde(default = "yes")]
    pub(crate) set_element_order: bool,
    #[serde(default)]
    pub(crate) ignore_changes: bool,
    #[serde(default)]
    pub(crate) ignore_deletions: bool,
}

/// A document that is there, be it null: what null means is for the operation to say.
fn given<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(reader).map(Some)
}

fn yes() -> bool {
    true
}

/// One request. Documents stay text: each interface reads them in its own way.
#[derive(Debug, Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) op: &'a str,
    #[serde(default)]
    dialect: DialectName,
    #[serde(default)]
    pub(crate) api: Api,
    pub(crate) schema: Option<&'a RawValue>,
    pub(crate) kubernetes: Option<Cow<'a, str>>,
    pub(crate) overlay: Option<&'a RawValue>,
    #[serde(rename = "type")]
    pub(crate) type_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "given")]
    original: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "given")]
    modified: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "given")]
    current: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "given")]
    patch: Option<&'a RawValue>,
    #[serde(default)]
    patches: Vec<&'a RawValue>,
    #[serde(default)]
    pub(crate) overwrite: bool,
    #[serde(default)]
    pub(crate) preconditions: Vec<Cow<'a, str>>,
    pub(crate) options: Option<Switches>,
    pub(crate) text: Option<Cow<'a, str>>,
    pub(crate) of: Option<Box<Request<'a>>>,
    #[serde(default)]
    pub(crate) repeat: u64,
}

impl<'a> Request<'a> {
    /// Reads a line; on failure gives back the id, where there is one, and what is wrong.
    pub(crate) fn read(line: &'a [u8]) -> Result<Request<'a>, (Option<String>, Refusal)> {
        serde_json::from_slice(line).map_err(|error| {
            let refusal = Refusal::bad_request(format!("the request cannot be read: {error}"));
            (id_of(line), refusal)
        })
    }

    /// The dialect that is asked for.
    pub(crate) fn dialect(&self) -> Dialect {
        match self.dialect {
            DialectName::Upstream => Dialect::Upstream,
            DialectName::Spec => Dialect::Spec,
            DialectName::Kustomize => Dialect::Kustomize,
        }
    }

    /// The text of a document; an absent one is empty.
    pub(crate) fn document(&self, field: &str) -> &'a str {
        let given = match field {
            "original" => self.original,
            "modified" => self.modified,
            "current" => self.current,
            "patch" => self.patch,
            _ => None,
        };
        given.map_or("{}", RawValue::get)
    }

    /// The texts of `patches`.
    pub(crate) fn patches(&self) -> Vec<&'a str> {
        self.patches.iter().map(|patch| patch.get()).collect()
    }
}

/// The id of a line that is JSON but no request.
fn id_of(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
    }
    serde_json::from_slice::<Identified<'_>>(line).ok()?.id.map(|id| id.get().to_string())
}
