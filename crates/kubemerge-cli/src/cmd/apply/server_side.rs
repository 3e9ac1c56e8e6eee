//! `kubemerge apply --server-side`: the result of a server-side apply, or what it does to each field and why.

use kubemerge::ssa::managed_fields::{ApplyError, Conflicting, Conflicts, PlannedField, Time};
use kubemerge::{Applier, Schema, ServerSideApply};
use kubemerge_kinds::reset_fields;

use super::write::ApplyOutput;
use super::{ApplyArgs, objects_of};
use crate::input::{Inputs, Secrets};
use crate::job::{Change, Manifest, edits};
use crate::output::Stdout;
use crate::render::{self, Table};
use crate::report::{Notice, Outcome, Result};

/// A configuration and its live object.
struct Pair<'m, 's> {
    config: &'m Manifest<'s>,
    live: Option<&'m Manifest<'s>>,
}

pub(super) fn run<'s>(
    args: &ApplyArgs,
    schema: &Schema,
    configs: &[Manifest<'s>],
    live: &[Manifest<'s>],
    inputs: &Inputs,
) -> Result {
    let server_side = ServerSideApply::new(schema);
    // A configuration without a live object is created.
    let live_of = objects_of(configs, live)?;
    let pairs = configs.iter().zip(live_of).map(|(config, at)| Pair { config, live: at.map(|at| &live[at]) });
    let (mut texts, mut outcome) = (Vec::new(), Outcome::Done);
    for pair in pairs {
        if args.explain {
            texts.push(plan(args, &server_side, &pair, configs.len())?);
            continue;
        }
        match apply(args, &server_side, &pair)? {
            Ok(text) => texts.push(text),
            // A conflict is an answer, not an error: the other objects are still computed.
            Err(conflicts) => {
                outcome = Outcome::Found;
                texts
                    .push(title(&pair, configs.len()) + &conflict_table(&pair, &conflicts, inputs.secrets()));
            }
        }
    }
    let between =
        if args.output == ApplyOutput::Json || args.output == ApplyOutput::Diff { "" } else { "---\n" };
    // Tables are separated by a blank line: they are no documents.
    let between = if args.explain || outcome == Outcome::Found { "\n" } else { between };
    let mut out = Stdout::new();
    out.text(texts.join(between))?;
    out.finish()?;
    Ok(outcome)
}

/// The resulting object as text, or why it cannot be computed without taking fields from others.
fn apply(
    args: &ApplyArgs,
    server_side: &ServerSideApply<'_>,
    pair: &Pair<'_, '_>,
) -> Result<std::result::Result<String, Conflicts>> {
    let (live, config) = (pair.live.map(|live| text(&live.json)), text(&pair.config.json));
    match server_side.apply(live.as_deref(), &config, applier(args, pair.config)) {
        Ok(applied) => Ok(Ok(written(args.output, pair, applied.object.as_bytes())?)),
        Err(ApplyError::Conflicts(conflicts)) => Ok(Err(conflicts)),
        Err(error) => Err(fault(pair.config, &error).into()),
    }
}

fn applier<'a>(args: &'a ApplyArgs, config: &Manifest<'_>) -> Applier<'a> {
    let (group, _) = config.identity.group_and_version();
    let conflicting = if args.force_conflicts { Conflicting::Force } else { Conflicting::Refuse };
    Applier {
        conflicting,
        // No manager owns what the API server resets, such as the status of a Deployment.
        time: now(),
        reset_fields: reset_fields::built_in(group, &config.identity.kind, ""),
        // The name that kubectl uses if none is given.
        ..Applier::new(args.field_manager.as_deref().unwrap_or("kubectl"))
    }
}

/// Entries are stamped as the server would stamp them.
fn now() -> Time {
    let passed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Time(passed.as_secs() as i64)
}

fn written(output: ApplyOutput, pair: &Pair<'_, '_>, object: &[u8]) -> Result<String> {
    Ok(match (output, pair.live) {
        (ApplyOutput::Json, _) => render::pretty_json(object),
        (ApplyOutput::Diff, Some(live)) => {
            let after = kubemerge_yaml::apply_edits(
                live.source.text(),
                &edits(&[Change { manifest: live, json: Some(object) }])?,
            );
            let [before, after] = live.source.shown_pair(live.source.text(), &after);
            render::unified_diff(&live.source.name, &before, &after)
        }
        // Masked like a diff of two texts: a new Secret has values too.
        (ApplyOutput::Diff, None) => {
            let [_, text] = pair.config.source.shown_pair("", &render::yaml(object));
            render::addition(&pair.config.identity.to_string(), &text)
        }
        _ => render::yaml(object),
    })
}

/// What the apply would do to each field.
fn plan(
    args: &ApplyArgs,
    server_side: &ServerSideApply<'_>,
    pair: &Pair<'_, '_>,
    objects: usize,
) -> Result<String> {
    let (live, config) = (pair.live.map(|live| text(&live.json)), text(&pair.config.json));
    let fields = server_side
        .plan(live.as_deref(), &config, applier(args, pair.config))
        .map_err(|error| fault(pair.config, &error))?;
    if fields.is_empty() {
        return Ok(format!("{}nothing changes\n", title(pair, objects)));
    }
    let mut table = Table::new(&["EFFECT", "FIELD", "OTHER OWNERS", "BECAUSE"]);
    for field in &fields {
        let PlannedField { path, effect, others, .. } = field;
        let others: Vec<&str> = others.iter().map(|other| &*other.manager).collect();
        table.row(&[effect.word(), path, &others.join(", "), effect.reason()]);
    }
    Ok(format!("{}{table}", title(pair, objects)))
}

fn conflict_table(pair: &Pair<'_, '_>, conflicts: &Conflicts, secrets: Secrets) -> String {
    // Conflicts quote values of both sides.
    let is_masked = pair.config.identity.is_secret() && secrets == Secrets::Masked;
    let value = |text: &Option<String>| match text {
        Some(_) if is_masked => "***".to_owned(),
        text => text.clone().unwrap_or_default(),
    };
    let mut table = Table::new(&["FIELD", "OWNER", "CONFIGURATION", "LIVE OBJECT"]);
    for conflict in &conflicts.0 {
        let owner = conflict.owner.manager.to_string();
        table.row(&[conflict.path.clone(), owner, value(&conflict.config), value(&conflict.live)]);
    }
    table.to_string()
}

/// The name of the object, where there are several.
fn title(pair: &Pair<'_, '_>, objects: usize) -> String {
    if objects > 1 { format!("# {}\n", pair.config.title()) } else { String::new() }
}

fn text(json: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(json)
}

fn fault(config: &Manifest<'_>, error: &ApplyError) -> Notice {
    // These errors name fields in their text, so the excerpt shows where the object starts.
    Notice::error(error.to_string()).at(config.excerpt("", config.title()))
}
