//! Records the steps of a merge.

use kubemerge_schema::Type;
use kubemerge_strategic::{MergeEvent, Observer, Ordering, Removal, Replacement};
use kubemerge_value::path::Step;
use kubemerge_value::{Node, Path, Scalar, deep_equal, to_value};

use super::step::{Action, MergeStep};

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
pub(super) struct StepRecorder<'s> {
    ty: Type<'s>,
    /// The names of the steps to the place of the last event.
    names: Vec<Name>,
    /// How deep the item is that was matched just now.
    matched: Option<usize>,
    /// The merge keys of the list that was merged last, at each depth.
    list_keys: Vec<Vec<String>>,
    pub(super) steps: Vec<MergeStep>,
}

impl<'s> StepRecorder<'s> {
    pub(super) fn new(ty: Type<'s>) -> StepRecorder<'s> {
        StepRecorder { ty, names: Vec::new(), matched: None, list_keys: Vec::new(), steps: Vec::new() }
    }

    /// Moves to a place. Items on the way were met before, so their names are known.
    fn go_to(&mut self, path: &Path<'_>, item: Option<Name>) {
        let steps = steps(path);
        let known = std::mem::take(&mut self.names);
        for (at, step) in steps.iter().enumerate() {
            // Events come in the order of the walk, so items on the way have been named before.
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
            // The step of the matched item says so already.
            return;
        }
        self.matched = matches!(event, MergeEvent::ItemMatched { .. }).then_some(depth);
        if let MergeEvent::ListMerged { keys } = &event {
            // Deeper lists belong to an earlier item.
            self.list_keys.resize(depth, Vec::new());
            self.list_keys.push(keys.iter().map(|key| (*key).to_owned()).collect());
        }
        let item = self.removed_item(depth, &event).or_else(|| item_name(&event));
        self.go_to(path, item);
        let because = if is_ruled(&event) { self.because() } else { Vec::new() };
        let name = self.names.last().map_or(String::new(), |name| name.text().to_owned());
        let step = MergeStep { path: self.path(), name, depth, because, ..step(&event) };
        self.steps.push(step);
    }
}

impl StepRecorder<'_> {
    /// The name of an item that is removed, by the keys of its list.
    fn removed_item(&self, depth: usize, event: &MergeEvent<'_>) -> Option<Name> {
        let MergeEvent::Removed { value, .. } = event else { return None };
        // The list is one step above its item.
        let keys = self.list_keys.get(depth.checked_sub(1)?)?;
        let pair = |key: &String| Some(format!("{key}={}", value.get(key)?.scalar()?));
        let pairs: Vec<String> = keys.iter().filter_map(pair).collect();
        (!pairs.is_empty()).then(|| Name::Item(format!("[{}]", pairs.join(","))))
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
        // Scalars have no key to name them by.
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

/// The step of an event, without its place.
fn step(event: &MergeEvent<'_>) -> MergeStep {
    let value = |node: Node<'_>| to_value(node).ok();
    let plain = |action: Action| MergeStep {
        path: String::new(),
        name: String::new(),
        depth: 0,
        action,
        from: None,
        to: None,
        keys: Vec::new(),
        cause: None,
        because: Vec::new(),
    };
    match event {
        MergeEvent::Added { value: to } => MergeStep { to: value(*to), ..plain(Action::Added) },
        MergeEvent::Set { from, to } => {
            let action = if deep_equal(*from, *to) { Action::Unchanged } else { Action::Set };
            MergeStep { from: value(*from), to: value(*to), ..plain(action) }
        }
        MergeEvent::Removed { value: from, cause } => {
            MergeStep { from: value(*from), cause: Some(removal(*cause)), ..plain(Action::Removed) }
        }
        MergeEvent::MapMerged => plain(Action::MapMerged),
        MergeEvent::MapReplaced { cause, .. } => {
            MergeStep { cause: replacement(*cause), ..plain(Action::MapReplaced) }
        }
        MergeEvent::ListReplaced { cause, .. } => {
            MergeStep { cause: replacement(*cause), ..plain(Action::ListReplaced) }
        }
        MergeEvent::ListMerged { keys } => {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            MergeStep { keys, ..plain(Action::ListMerged) }
        }
        MergeEvent::ItemMatched { .. } => plain(Action::ItemMatched),
        MergeEvent::ItemAdded { value: to, .. } => MergeStep { to: value(*to), ..plain(Action::ItemAdded) },
        MergeEvent::Reordered { cause: Ordering::Directive } => {
            MergeStep { cause: Some("$setElementOrder"), ..plain(Action::Reordered) }
        }
        MergeEvent::Reordered { cause: Ordering::PatchList } => plain(Action::Reordered),
        // Events that later versions of the engine add.
        _ => plain(Action::Changed),
    }
}

fn removal(cause: Removal) -> &'static str {
    match cause {
        Removal::Null => "null",
        Removal::PatchDirective => "$patch: delete",
        Removal::RetainKeys => "$retainKeys",
        Removal::Union => "x-kubernetes-unions",
        Removal::DeleteList => "$deleteFromPrimitiveList",
    }
}

fn replacement(cause: Replacement) -> Option<&'static str> {
    match cause {
        Replacement::Rule => None,
        Replacement::PatchDirective => Some("$patch: replace"),
    }
}
