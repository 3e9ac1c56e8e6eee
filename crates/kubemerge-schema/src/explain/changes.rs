//! Which fields merge differently in two schemas.

use std::collections::BTreeMap;

use super::explanation::{FieldExplanation, Merge};
use super::field::explain;
use crate::compile::{ItemStrategy, ListStrategy, MapStrategy};
use crate::model::{NodeId, UNTYPED};
use crate::schema::Schema;

/// A field whose rule is not the same in two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// The definition that holds the field.
    pub definition: String,
    /// The field; a path where the definition describes objects in place.
    pub field: String,
    /// How it merged; none if the field is new.
    pub before: Option<String>,
    /// How it merges now; none if the field is gone.
    pub after: Option<String>,
}

/// The rule before and after.
type Sides = (Option<Sentence>, Option<Sentence>);

/// Compares the rules of every field. Fields that are new or gone count if they have metadata of their own.
pub fn changes(before: &Schema, after: &Schema) -> Vec<RuleChange> {
    let mut pairs: BTreeMap<(&str, String), Sides> = BTreeMap::new();
    for_each_rule(before, &mut |definition, field, sentence| {
        pairs.entry((definition, field)).or_default().0 = Some(sentence);
    });
    for_each_rule(after, &mut |definition, field, sentence| {
        pairs.entry((definition, field)).or_default().1 = Some(sentence);
    });
    let changed = pairs.into_iter().filter(|(_, (before, after))| match (before, after) {
        (Some(before), Some(after)) => before.text != after.text,
        // A new field with the rule that every field has is no change of a rule.
        (one, other) => [one, other].into_iter().flatten().any(|sentence| sentence.is_special),
    });
    changed.map(|((definition, field), sides)| change(definition, field, sides)).collect()
}

fn change(definition: &str, field: String, (before, after): Sides) -> RuleChange {
    let [before, after] = [before, after].map(|side| side.map(|sentence| sentence.text));
    RuleChange { definition: definition.to_owned(), field, before, after }
}

/// How a field merges, in words.
struct Sentence {
    text: String,
    /// Whether it is more than what happens without any metadata.
    is_special: bool,
}

impl Sentence {
    fn of(explanation: &FieldExplanation<'_>) -> Sentence {
        let plain = match &explanation.merge {
            Merge::Scalar | Merge::Untyped | Merge::Map(MapStrategy::Merge) => true,
            Merge::List { strategy, items, .. } => {
                *strategy == ListStrategy::Atomic && *items == ItemStrategy::Merge
            }
            Merge::Map(MapStrategy::Replace) | Merge::Invalid => false,
        };
        Sentence {
            text: explanation.sentence(),
            is_special: !plain || explanation.retain_keys || explanation.clears_unions,
        }
    }
}

fn for_each_rule<'s>(schema: &'s Schema, visit: &mut dyn FnMut(&'s str, String, Sentence)) {
    let model = schema.model();
    for (_, entry) in model.visible_definitions() {
        let definition = model.text(entry.name);
        each_field(schema, entry.node, "", &mut |path, parent, property| {
            let name = path.rsplit('.').next().unwrap_or_default();
            let explanation = explain(schema, parent, name, property);
            visit(definition, path.to_owned(), Sentence::of(&explanation));
        });
    }
}

/// Visits the fields of a definition and of the objects it describes in place. Loaders bound the depth.
fn each_field(schema: &Schema, node: NodeId, path: &str, visit: &mut dyn FnMut(&str, NodeId, NodeId)) {
    let model = schema.model();
    for field in model.fields(model.node(node)) {
        let separator = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{separator}{}", model.text(field.name));
        visit(&path, node, field.node);
        // Only inline schemas are followed: what a reference leads to is a definition of its own.
        each_field(schema, field.node, &path, visit);
    }
    for (child, mark) in [(model.node(node).items, "[]"), (model.node(node).additional, "{}")] {
        if child != UNTYPED {
            each_field(schema, child, &format!("{path}{mark}"), visit);
        }
    }
}
