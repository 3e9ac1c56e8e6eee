//! One step of a merge, as data and as a sentence.

use serde::Serialize;
use serde_json::Value;

use crate::short::short_text;

/// What happened at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A field that the live object does not have.
    Added,
    /// A field with another value.
    Set,
    /// A field with the value that it has already.
    Unchanged,
    /// A field or an item of a list.
    Removed,
    /// A map whose fields merge one by one.
    MapMerged,
    /// A map that is replaced as a whole.
    MapReplaced,
    /// A list whose items merge by keys or by value.
    ListMerged,
    /// A list that is replaced as a whole.
    ListReplaced,
    /// An item of the patch that the live list has.
    ItemMatched,
    /// An item of the patch that the live list does not have.
    ItemAdded,
    /// A list whose items change places.
    Reordered,
    /// Anything else.
    Changed,
}

/// What happened at a place of the object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MergeStep {
    /// Items by their keys: `spec.ports[port=53].protocol`.
    pub path: String,
    /// The last step of the path.
    #[serde(skip)]
    pub name: String,
    /// How many steps the path has.
    #[serde(skip)]
    pub depth: usize,
    /// What happened.
    pub action: Action,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
    /// The keys that a list merges by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The directive that did it; nothing where the rule of the field or a plain value did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// The schema metadata that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

impl MergeStep {
    /// The step in words, without its path.
    #[must_use]
    pub fn sentence(&self) -> String {
        let text = |value: &Option<Value>| {
            value.as_ref().map(|value| short_text(&value.to_string())).unwrap_or_default()
        };
        let (from, to) = (text(&self.from), text(&self.to));
        let by = self.cause.map(|cause| format!(" by {cause}")).unwrap_or_default();
        match self.action {
            Action::Added => format!("added: {to}"),
            Action::Set => format!("{from} becomes {to}"),
            Action::Unchanged => format!("stays {to}"),
            Action::Removed => format!("removed{by}: {from}"),
            Action::MapMerged => "merged field by field".to_owned(),
            Action::MapReplaced | Action::ListReplaced => format!("replaced as a whole{by}"),
            Action::ListMerged if self.keys.is_empty() => "list merged by value".to_owned(),
            Action::ListMerged => format!("list merged by {}", self.keys.join(",")),
            Action::ItemMatched => "merged into the live item".to_owned(),
            Action::ItemAdded => format!("new item: {to}"),
            Action::Reordered if self.cause.is_some() => format!("reordered{by}"),
            Action::Reordered => "reordered: items of the patch first".to_owned(),
            Action::Changed => "changed".to_owned(),
        }
    }
}
