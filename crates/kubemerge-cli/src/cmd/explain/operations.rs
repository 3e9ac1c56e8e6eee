//! What JSON patches and merge patches do: they follow no schema, so the changes alone are shown.

use kubemerge::{PatchType, RuleSource, Target, Tests, apply, diff};
use kubemerge_inspect::{Action, MergeStep};
use kubemerge_value::{Arena, Kind, Node, Path, to_value};

use super::ObjectExplanation;
use crate::load::{LoadedPatch, Manifest};
use crate::report::Result;

/// The changes of a patch that is not a strategic one.
pub(super) fn explanation(manifest: &Manifest<'_>, patch: &LoadedPatch<'_>) -> Result<ObjectExplanation> {
    let given = patch.patch()?;
    let result = apply(RuleSource::None, &manifest.json, &given)
        .map_err(|error| patch.fault(&error, error.path(), &manifest.title()))?;
    let operations = diff(RuleSource::None, &manifest.json, &result, Target::Json(Tests::Without))
        .map_err(|error| manifest.fault(&error))?;
    let live = manifest.value()?;
    let arena = Arena::new();
    let steps = operations
        .node()
        .elements(&arena)
        .iter()
        .map(|operation| step(*operation, live.node(), &arena))
        .collect();
    Ok(ObjectExplanation {
        file: manifest.source.name.clone(),
        object: manifest.identity.to_string(),
        patch_type: match patch.patch_type {
            PatchType::Json => "json",
            PatchType::Strategic | PatchType::Merge => "merge",
            _ => "apply",
        },
        dialect: None,
        steps,
        differences: Vec::new(),
        refusal: Vec::new(),
    })
}

fn step<'a>(operation: Node<'_>, live: Node<'a>, arena: &'a Arena) -> MergeStep {
    let text = |name: &str| {
        operation.get(name).and_then(Node::as_str).map(|text| text.text().into_owned()).unwrap_or_default()
    };
    let (before, path) = follow(live, &text("path"), arena);
    let value = |node: Option<Node<'_>>| node.and_then(|node| to_value(node).ok());
    let (from, to) = (value(before), value(operation.get("value")));
    let (action, from) = match text("op").as_str() {
        "add" => (Action::Added, None),
        "remove" => (Action::Removed, from),
        "replace" => (Action::Set, from),
        // `move` and `copy` have no value of their own; the diff above does not use them.
        _ => (Action::Changed, None),
    };
    let name = path.clone();
    MergeStep { path, name, depth: 1, action, from, to, keys: Vec::new(), cause: None, because: Vec::new() }
}

/// The value at a JSON pointer, and the pointer as a field path.
fn follow<'a>(root: Node<'a>, pointer: &str, arena: &'a Arena) -> (Option<Node<'a>>, String) {
    let (mut node, mut path) = (Some(root), String::new());
    for part in pointer.split('/').skip(1) {
        // In this order, or `~01` would become a slash.
        let name = part.replace("~1", "/").replace("~0", "~");
        let items = node.filter(|node| node.kind() == Kind::List);
        let index = items.and_then(|list| Some((list, name.parse::<usize>().ok()?)));
        let step = if let Some((list, index)) = index {
            node = list.elements(arena).get(index).copied();
            format!("[{index}]")
        } else {
            node = node.and_then(|node| node.get(&name));
            Path::ROOT.field(name.as_str().into()).to_string()
        };
        if !path.is_empty() && !step.starts_with('[') {
            path.push('.');
        }
        path.push_str(&step);
    }
    (node, path)
}
