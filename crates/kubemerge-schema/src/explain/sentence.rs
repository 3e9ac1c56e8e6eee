//! How a field merges, as a sentence.

use super::explanation::{FieldExplanation, Merge};
use crate::compile::{ItemStrategy, ListStrategy, MapStrategy, MergeKey};

impl FieldExplanation<'_> {
    /// How the value merges, as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        let mut text = self.merge.sentence();
        if self.retain_keys {
            text.push_str("; generated patches name the fields to keep ($retainKeys)");
        }
        if self.clears_unions {
            text.push_str("; a field of a union that is set clears the others");
        }
        text
    }
}

impl Merge<'_> {
    /// Whether parts of a value that is there stay.
    pub(super) fn is_by_parts(&self) -> bool {
        match self {
            Merge::Map(strategy) => *strategy == MapStrategy::Merge,
            Merge::List { strategy, .. } => matches!(strategy, ListStrategy::Keyed(_)),
            Merge::Scalar | Merge::Untyped | Merge::Invalid => false,
        }
    }

    fn sentence(&self) -> String {
        match self {
            Merge::Scalar => "the value is replaced".to_owned(),
            Merge::Map(MapStrategy::Merge) => "the map merges field by field".to_owned(),
            Merge::Map(MapStrategy::Replace) => "the map is replaced as a whole".to_owned(),
            Merge::List { strategy, items, optional } => list_sentence(*strategy, *items, optional),
            Merge::Untyped => "maps merge field by field, lists are replaced as a whole".to_owned(),
            Merge::Invalid => "every merge fails: the patch strategy is invalid".to_owned(),
        }
    }
}

fn list_sentence(strategy: ListStrategy<'_>, items: ItemStrategy, optional: &[&MergeKey]) -> String {
    let mut text = match strategy {
        ListStrategy::Atomic => return "the list is replaced as a whole".to_owned(),
        ListStrategy::Scalars => "the list merges by value".to_owned(),
        ListStrategy::Set => "the list merges as a set".to_owned(),
        ListStrategy::Keyed(keys) => {
            let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
            format!("the list merges by {}", names.join(","))
        }
    };
    let defaults: Vec<String> = optional.iter().filter_map(|key| default_words(key)).collect();
    if !defaults.is_empty() {
        text.push_str(&format!(" ({})", defaults.join(", ")));
    }
    if items == ItemStrategy::Replace {
        text.push_str("; an item on both sides is replaced as a whole");
    }
    text
}

fn default_words(key: &MergeKey) -> Option<String> {
    let default = key.default.as_ref()?;
    // An empty string keeps its quotes, or nothing would be seen.
    let value = default.as_str().filter(|text| !text.is_empty()).map_or(default.to_string(), str::to_owned);
    Some(format!("{} defaults to {value}", key.name))
}
