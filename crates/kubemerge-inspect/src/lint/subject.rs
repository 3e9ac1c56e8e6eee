//! What is linted: objects and patches, as the caller has read them.

use kubemerge::Patch;
use kubemerge_value::Node;
use kubemerge_yaml::YamlDocument;

/// An object of a document.
#[derive(Clone, Copy)]
pub struct LintObject<'a> {
    /// Its number if the document is a list of objects.
    pub item: Option<usize>,
    /// Its apiVersion.
    pub api_version: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its value.
    pub value: Node<'a>,
}

impl LintObject<'_> {
    /// The path within the document of a field of the object.
    pub(super) fn path(&self, field: &str) -> String {
        match self.item {
            None => field.to_owned(),
            Some(at) => format!("items[{at}].{field}"),
        }
    }
}

/// A patch, and the kind of the objects it is for.
#[derive(Clone, Copy)]
pub struct LintPatch<'a> {
    /// The text.
    pub document: &'a YamlDocument<'a>,
    /// The value.
    pub patch: &'a Patch<'a>,
    /// The apiVersion of its objects; empty if it is not known.
    pub api_version: &'a str,
    /// The kind of its objects; empty if it is not known.
    pub kind: &'a str,
}
