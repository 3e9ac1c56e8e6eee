//! `diff -o text`: the differences between objects for reading.

use kubemerge::Dialect;
use kubemerge_inspect::{FieldChange, object_diff};
use serde_json::Value;

use super::DiffArgs;
use crate::input::{Inputs, Secrets};
use crate::load::{self, Manifest, match_objects, only_in};
use crate::output::Stdout;
use crate::render;
use crate::report::{Colours, Ink, Notice, Outcome, Result, colours_of, sanitize};

/// Writes what differs; objects are paired by kind and name, two single ones whatever they are.
pub(super) fn differences(
    args: &DiffArgs,
    inputs: &mut Inputs,
    old: &[Manifest<'_>],
    new: &[Manifest<'_>],
) -> Result {
    if args.current.is_some() {
        let notice = Notice::error("-o text compares two objects");
        return Err(notice.help("leave --current out, or give it as OLD").into());
    }
    // The key sets of `spec` tell items apart as people do, whatever the patch would merge by.
    let schema = load::schemas_beside(&args.schema, inputs, new)?.compile(Dialect::Spec)?;
    let pairs = match (old, new) {
        // Two single objects are compared even if their names differ.
        ([_], [_]) => vec![Some(0)],
        _ => match_objects(new, old)?,
    };
    let mut text = String::new();
    for removed in only_in(old, &pairs) {
        text.push_str(&format!(
            "only in {}: {}\n",
            sanitize(&removed.source.name),
            removed.identity.in_full()
        ));
    }
    for (new, before) in new.iter().zip(&pairs) {
        let Some(old) = before.map(|at| &old[at]) else {
            text.push_str(&format!("only in {}: {}\n", sanitize(&new.source.name), new.identity.in_full()));
            continue;
        };
        let ty = schema.type_of(&new.identity.api_version, &new.identity.kind);
        let (before, after) = (old.value()?, new.value()?);
        let mut changes = object_diff(ty.unwrap_or_else(|| schema.untyped()), before.node(), after.node());
        if args.no_status {
            changes.retain(|change| change.path.split(['.', '[']).next() != Some("status"));
        }
        if inputs.secrets() == Secrets::Masked && new.identity.is_secret() {
            changes.iter_mut().for_each(mask);
        }
        text.push_str(&object(new, &changes));
    }
    let mut out = Stdout::new();
    out.text(&text)?;
    out.finish()?;
    Ok(if text.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// The changes of one object; nothing if there are none.
fn object(manifest: &Manifest<'_>, changes: &[FieldChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let colours = colours_of(&std::io::stdout());
    let mut text = format!("{}\n", manifest.identity.in_full());
    for change in changes {
        text.push_str(&format!("  {}\n", sanitize(&change.path)));
        text.push_str(&side("-", Ink::Red, change.from.as_ref(), colours));
        text.push_str(&side("+", Ink::Green, change.to.as_ref(), colours));
    }
    text
}

fn side(mark: &str, ink: Ink, value: Option<&Value>, colours: Colours) -> String {
    let Some(value) = value else { return String::new() };
    let yaml = render::yaml(value.to_string().as_bytes());
    yaml.lines()
        .map(|line| format!("    {}\n", ink.paint(&format!("{mark} {}", sanitize(line)), colours)))
        .collect()
}

/// Hides the values of a Secret, but not that they differ.
fn mask(change: &mut FieldChange) {
    if !matches!(change.path.split(['.', '[']).next(), Some("data" | "stringData")) {
        return;
    }
    let (before, after) = match (&change.from, &change.to) {
        (Some(_), Some(_)) => ("*** (before)", "*** (after)"),
        _ => ("***", "***"),
    };
    change.from = change.from.take().map(|value| masked(value, before));
    change.to = change.to.take().map(|value| masked(value, after));
}

fn masked(value: Value, mask: &str) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(key, _)| (key, Value::from(mask))).collect(),
        _ => mask.into(),
    }
}
