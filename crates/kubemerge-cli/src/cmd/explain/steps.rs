//! Records the steps of a merge.

use kubemerge_schema::Type;
use kubemerge_strategic::{MergeEvent, Observer, Ordering, Removal, Replacement};
use kubemerge_value::{Path, Scalar, deep_equal, path::Step};
use serde::Serialize;

use crate::render::short;

/// What happened at a place.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    /// Items by their keys: `spec.ports[port=53].protocol`.
    pub(crate) path: String,
    /// The last step of the path.
    #[serde(skip)]
    pub(crate) name: String,
    /// How many steps the path has.
    #[serde(skip)]
    pub(crate) depth: usize,
    pub(crate) happened: String,
    /// The metadata that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) because: Vec<String>,
}

/// A step of a path, in words.
#[derive(Clone)]
enum Name {
    Field(String),
    /// An item of a list, in brackets.
    Item(String),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Name::Field(text) | Name::Item(text) => text,
        }
    }
}

/// Collects the lines of a merge.
pub(crate) struct StepRecorder<'s> {
    ty: Type<'s>,
    /// The names of the steps to the place of the last event.
    names: Vec<Name>,
    /// How deep the item is that was matched just now.
    matched: Option<usize>,
    pub(crate) lines: Vec<Line>,
}

impl<'s> StepRecorder<'s> {
    pub(crate) fn new(ty: Type<'s>) -> StepRecorder<'s> {
        StepRecorder { ty, names: Vec::new(), matched: None, lines: Vec::new() }
    }

    /// Moves to a place. Items on the way were met before, so their names are known.
    fn go_to(&mut self, path: &Path<'_>, item: Option<Name>) {
        let steps = steps(path);
        let known = std::mem::take(&mut self.names);
        for (at, step) in steps.iter().enumerate() {
            let met = if at + 1 == steps.len() { item.as_ref() } else { known.get(at) };
            let name = match step {
                Step::Field(name) => Name::Field(name.text().into_owned()),
                Step::Index(index) | Step::Only(_, index) | Step::Item { live: index, .. } => {
                    met.cloned().unwrap_or_else(|| Name::Item(format!("[{index}]")))
                }
                Step::Keys(keys) => Name::Item(by_keys(keys)),
                Step::Root => continue,
            };
            self.names.push(name);
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for name in &self.names {
            let step = match name {
                Name::Field(name) => Path::ROOT.field(name.as_str().into()).to_string(),
                Name::Item(name) => name.clone(),
            };
            if !path.is_empty() && !step.starts_with('[') {
                path.push('.');
            }
            path.push_str(&step);
        }
        path
    }

    /// What the schema says about the field at this place.
    fn because(&self) -> Vec<String> {
        // No declared field has a dot in its name, so any other name has the same rule.
        let field = |name: &Name| match name {
            Name::Field(name) => Some(name.replace(['.', '['], "_")),
            Name::Item(_) => None,
        };
        let fields: Vec<String> = self.names.iter().filter_map(field).collect();
        self.ty.explain(&fields.join(".")).map_or(Vec::new(), |explanation| explanation.because)
    }
}

impl Observer for StepRecorder<'_> {
    fn note(&mut self, path: &Path<'_>, event: MergeEvent<'_>) {
        let depth = steps(path).len();
        let just_matched = self.matched.take() == Some(depth);
        if just_matched && matches!(event, MergeEvent::MapMerged) {
            // The line of the matched item says so already.
            return;
        }
        self.matched = matches!(event, MergeEvent::ItemMatched { .. }).then_some(depth);
        self.go_to(path, item_name(&event));
        let because = if is_ruled(&event) { self.because() } else { Vec::new() };
        let name = self.names.last().map_or(String::new(), |name| name.text().to_owned());
        self.lines.push(Line { path: self.path(), name, depth, happened: words(&event), because });
    }
}

/// The steps of a path, without its root.
fn steps<'p>(path: &Path<'p>) -> Vec<Step<'p>> {
    let mut steps = Vec::new();
    let (mut around, mut step) = path.split();
    while let Some(outer) = around {
        steps.push(step);
        (around, step) = outer.split();
    }
    steps.reverse();
    steps
}

/// The name of an item by its keys, where the event tells them.
fn item_name(event: &MergeEvent<'_>) -> Option<Name> {
    match event {
        MergeEvent::ItemMatched { keys } | MergeEvent::ItemAdded { keys, .. } if !keys.is_empty() => {
            Some(Name::Item(by_keys(keys)))
        }
        MergeEvent::ItemAdded { .. } => Some(Name::Item("[new]".to_owned())),
        _ => None,
    }
}

fn by_keys(keys: &[(&str, Scalar<'_>)]) -> String {
    let pairs: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("[{}]", pairs.join(","))
}

/// Whether the rule of the field decided, as opposed to the patch.
fn is_ruled(event: &MergeEvent<'_>) -> bool {
    matches!(
        event,
        MergeEvent::ListMerged { .. }
            | MergeEvent::ListReplaced { cause: Replacement::Rule, .. }
            | MergeEvent::MapReplaced { cause: Replacement::Rule, .. }
    )
}

fn words(event: &MergeEvent<'_>) -> String {
    match event {
        MergeEvent::Added { value } => format!("added: {}", short(*value)),
        MergeEvent::Set { from, to } if deep_equal(*from, *to) => format!("stays {}", short(*to)),
        MergeEvent::Set { from, to } => format!("{} becomes {}", short(*from), short(*to)),
        MergeEvent::Removed { value, cause } => format!("removed by {}: {}", removal(*cause), short(*value)),
        MergeEvent::MapMerged => "merged field by field".to_owned(),
        MergeEvent::MapReplaced { cause, .. } | MergeEvent::ListReplaced { cause, .. } => {
            format!("replaced as a whole{}", replacement(*cause))
        }
        MergeEvent::ListMerged { keys: [] } => "list merged by value".to_owned(),
        MergeEvent::ListMerged { keys } => format!("list merged by {}", keys.join(",")),
        MergeEvent::ItemMatched { .. } => "merged into the live item".to_owned(),
        MergeEvent::ItemAdded { value, .. } => format!("new item: {}", short(*value)),
        MergeEvent::Reordered { cause: Ordering::Directive } => "reordered by $setElementOrder".to_owned(),
        MergeEvent::Reordered { cause: Ordering::PatchList } => {
            "reordered: items of the patch first".to_owned()
        }
        _ => "changed".to_owned(),
    }
}

fn removal(cause: Removal) -> &'static str {
    match cause {
        Removal::Null => "null",
        Removal::PatchDirective => "$patch: delete",
        Removal::RetainKeys => "$retainKeys",
        Removal::DeleteList => "$deleteFromPrimitiveList",
    }
}

fn replacement(cause: Replacement) -> &'static str {
    match cause {
        Replacement::Rule => "",
        Replacement::PatchDirective => " by $patch: replace",
    }
}
