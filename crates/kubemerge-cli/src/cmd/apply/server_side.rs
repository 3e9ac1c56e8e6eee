//! `kubemerge apply --server-side`: the result of a server-side apply, or what it does to each field and why.

use kubemerge::{Applier, ApplyError, Conflicts, Effect, PlannedField, Schema, ServerSideApply, Time};
use kubemerge_kinds::{groups, reset_fields};
use kubemerge_schema::Resource;
use kubemerge_ssa::managed_fields::manager_problems;

use super::write::ApplyOutput;
use super::{ApplyArgs, objects_of};
use crate::cmd::owners::{all_words, words};
use crate::input::{Inputs, Secrets};
use crate::load::{Manifest, ObjectChange, edits};
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
    check_manager(manager(args))?;
    let server_side = ServerSideApply::new(schema);
    // A configuration without a live object is created.
    let live_of = objects_of(configs, live)?;
    let pairs = configs.iter().zip(live_of).map(|(config, at)| Pair { config, live: at.map(|at| &live[at]) });
    let (mut texts, mut outcome) = (Vec::new(), Outcome::Done);
    for pair in pairs {
        check_entries(&pair)?;
        let applier = applier(args, schema, pair.config);
        if args.explain {
            let fields = plan(&server_side, &pair, &applier)?;
            if fields.iter().any(|field| field.effect == Effect::Conflict) {
                outcome = Outcome::Found;
            }
            texts.push(title(&pair, configs.len()) + &plan_table(&fields));
            continue;
        }
        match apply(args.output, &server_side, &pair, &applier)? {
            Ok(text) => texts.push(text),
            // A conflict is an answer, not an error: the other objects are still computed.
            Err(conflicts) => {
                outcome = Outcome::Found;
                texts
                    .push(title(&pair, configs.len()) + &conflict_table(&pair, &conflicts, inputs.secrets()));
            }
        }
    }
    let between = if matches!(args.output, ApplyOutput::Json | ApplyOutput::Patch | ApplyOutput::Diff) {
        ""
    } else {
        "---\n"
    };
    // Tables are separated by a blank line: they are no documents.
    let between = if args.explain || outcome == Outcome::Found { "\n" } else { between };
    let mut out = Stdout::new();
    out.text(texts.join(between))?;
    out.finish()?;
    if outcome == Outcome::Found {
        Notice::warning("other managers own fields that the apply would change")
            .help("take them with --force-conflicts, or leave them out of the configuration")
            .print();
    }
    Ok(outcome)
}

/// Entries that cannot be read are a fault of the live object, not of the configuration.
fn check_entries(pair: &Pair<'_, '_>) -> Result<()> {
    let Some(live) = pair.live else { return Ok(()) };
    let fault = |error: ApplyError| {
        Notice::error(error.to_string())
            .at(live.excerpt("metadata.managedFields", live.title()))
            .help("export the object again with --show-managed-fields, or remove metadata.managedFields")
    };
    kubemerge::owners(&text(&live.json)).map_err(fault)?;
    Ok(())
}

/// The resulting object as text, or why it cannot be computed without taking fields from others.
fn apply(
    output: ApplyOutput,
    server_side: &ServerSideApply,
    pair: &Pair<'_, '_>,
    applier: &Applier<'_>,
) -> Result<std::result::Result<String, Conflicts>> {
    let (live, config) = (pair.live.map(|live| text(&live.json)), text(&pair.config.json));
    match server_side.apply(live.as_deref(), &config, applier) {
        Ok(applied) => Ok(Ok(written(output, pair, applied.object.as_bytes())?)),
        Err(ApplyError::Conflicts(conflicts)) => Ok(Err(conflicts)),
        Err(error) => Err(fault(pair.config, &error).into()),
    }
}

fn applier<'a>(args: &'a ApplyArgs, schema: &Schema, config: &Manifest<'_>) -> Applier<'a> {
    // No manager owns what the API server resets, such as the status of a Deployment.
    let applier = Applier::new(manager(args)).at(now()).without_fields(reset_fields_of(schema, config));
    if args.force_conflicts { applier.forced() } else { applier }
}

/// The name that kubectl uses if none is given.
fn manager(args: &ApplyArgs) -> &str {
    args.field_manager.as_deref().unwrap_or("kubectl")
}

fn check_manager(name: &str) -> Result<()> {
    match manager_problems(name).as_slice() {
        [] => Ok(()),
        problems => Err(Notice::error(problems.join(", "))
            .help("give --field-manager a name of at most 128 bytes that can be printed")
            .into()),
    }
}

fn reset_fields_of(schema: &Schema, config: &Manifest<'_>) -> &'static [reset_fields::Names] {
    let (group, version) = config.identity.group_and_version();
    let kind = config.identity.kind.as_str();
    let ty = schema.type_of(&config.identity.api_version, kind);
    if !ty.is_some_and(|ty| ty.is_custom_resource()) {
        return groups::entry(group, version, kind).resets("");
    }
    let is_own = |resource: &Resource<'_>| {
        (resource.group(), resource.version(), resource.kind()) == (group, version, kind)
    };
    let has_status = |resource: Resource<'_>| resource.subresources().any(|part| part.name() == "status");
    if schema.resources().find(is_own).is_some_and(has_status) {
        reset_fields::custom_with_status("")
    } else {
        &[]
    }
}

/// Entries are stamped as the server would stamp them.
fn now() -> Time {
    let passed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Time(passed.as_secs() as i64)
}

fn written(output: ApplyOutput, pair: &Pair<'_, '_>, object: &[u8]) -> Result<String> {
    Ok(match (output, pair.live) {
        // What is sent is the configuration itself.
        (ApplyOutput::Patch, _) => render::pretty_json(&pair.config.json),
        (ApplyOutput::Json, _) => render::pretty_json(object),
        (ApplyOutput::Diff, Some(live)) => {
            let after = kubemerge_yaml::apply_edits(
                live.source.text(),
                &edits(&[ObjectChange { manifest: live, json: Some(object) }])?.edits,
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
    server_side: &ServerSideApply,
    pair: &Pair<'_, '_>,
    applier: &Applier<'_>,
) -> Result<Vec<PlannedField>> {
    let (live, config) = (pair.live.map(|live| text(&live.json)), text(&pair.config.json));
    let planned = server_side.plan(live.as_deref(), &config, applier);
    Ok(planned.map_err(|error| fault(pair.config, &error))?)
}

fn plan_table(fields: &[PlannedField]) -> String {
    if fields.is_empty() {
        return "nothing changes\n".to_owned();
    }
    let mut table = Table::new(&["EFFECT", "FIELD", "OTHER OWNERS", "BECAUSE"]);
    for PlannedField { path, effect, others, .. } in fields {
        table.row(&[effect.word(), path, &all_words(others), effect.reason()]);
    }
    table.to_string()
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
        table.row(&[
            conflict.path.clone(),
            words(&conflict.owner),
            value(&conflict.config),
            value(&conflict.live),
        ]);
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
    const ENTRIES: &str = "metadata.managedFields";
    if matches!(error, ApplyError::BadRequest(text) if text.starts_with(ENTRIES)) {
        let help = "remove it: the API server keeps the owners of fields";
        return Notice::error(error.to_string()).at(config.excerpt(ENTRIES, config.title())).help(help);
    }
    // These errors name fields in their text, so the excerpt shows where the object starts.
    Notice::error(error.to_string()).at(config.excerpt("", config.title()))
}
