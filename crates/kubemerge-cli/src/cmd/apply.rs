//! `kubemerge apply`: what `kubectl apply` would send, and what the object would become.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kubemerge::{
    Applied, Change, Conflict, Dialect, Guide, LAST_APPLIED, OnConflict, Patch, Schema, Versions, apply,
    conflicts, kubectl_apply,
};
use kubemerge_value::{Document, Node, yaml};
use serde_json::json;

use crate::args::{DialectWord, ObjectFormat, SchemaOptions};
use crate::failure::{Outcome, Result};
use crate::input::read_one;
use crate::job::{self, Manifest};
use crate::notice::Notice;
use crate::output::Output;
use crate::render::{self, Table, short};

#[derive(Debug, Args)]
#[command(after_help = "\
The configuration that was applied last is taken from --last-applied, else from the annotation of
the live object. kubectl fills in the namespace of its context; here a configuration says its own.

Examples:
  kubectl get deployment shop -o yaml > live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml -o diff
  kubemerge apply -f deployment.yaml --live live.yaml --no-overwrite")]
pub(crate) struct ApplyArgs {
    /// The configuration
    #[arg(long = "filename", short = 'f', value_name = "CONFIG")]
    config: PathBuf,
    /// The object on the server [default: there is none]
    #[arg(long, value_name = "LIVE")]
    live: Option<PathBuf>,
    /// The configuration that was applied last [default: the annotation of the live object]
    #[arg(long, value_name = "FILE", requires = "live")]
    last_applied: Option<PathBuf>,
    /// Show what others changed, and exit with 1, instead of overwriting it
    #[arg(long)]
    no_overwrite: bool,
    /// What to write
    #[arg(long, short, value_enum, default_value_t)]
    output: ApplyOutput,
    /// Which promise to keep
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectWord,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ApplyOutput {
    /// The patch and the object, as two YAML documents
    #[default]
    Both,
    /// The patch as JSON, as it is sent
    Patch,
    /// The object as YAML
    Yaml,
    /// The object as JSON
    Json,
    /// What changes in the live object
    Diff,
}

pub(crate) fn run(args: &ApplyArgs) -> Result {
    let config = read_one(&args.config)?;
    let config = Manifest::only(&config)?;
    let live = args.live.as_deref().map(read_one).transpose()?;
    let live = live.as_ref().map(Manifest::only).transpose()?;
    if let Some(live) = &live {
        check_same_object(&config, live)?;
    }
    let schema = job::load(&args.schema)?.compile(args.dialect.into())?;
    let current = live.as_ref().map(|live| current(args, live)).transpose()?;
    if let (true, Some(current)) = (args.no_overwrite, &current) {
        let found = overwritten(&schema, &config, current)?;
        if !found.is_empty() {
            return tell(&found);
        }
    }
    let applied = kubectl_apply(&schema, &config.json, current.as_ref(), OnConflict::Overwrite)
        .map_err(|error| config.fault(&error))?;
    let mut out = Output::new();
    out.text(text(args.output, live.as_ref(), &applied)?)?;
    out.finish()?;
    Ok(Outcome::Done)
}

/// kubectl asks the server for the live object, so it is always that of the configuration.
fn check_same_object(config: &Manifest<'_>, live: &Manifest<'_>) -> Result<()> {
    let (wanted, found) = (&config.identity, &live.identity);
    let differs = |wanted: &str, found: &str| !wanted.is_empty() && !found.is_empty() && wanted != found;
    let path = match () {
        () if differs(&wanted.kind, &found.kind) => "kind",
        () if differs(&wanted.name, &found.name) => "metadata.name",
        () if differs(&wanted.namespace, &found.namespace) => "metadata.namespace",
        () => return Ok(()),
    };
    let title = format!("the configuration is for {wanted}, the live object is {found}");
    let notice = Notice::error(title).at(config.excerpt(path, "")).at(live.excerpt(path, ""));
    Err(notice.cure("give the live object that the configuration is for").into())
}

/// The live object; a given configuration takes the place of the one it remembers.
fn current(args: &ApplyArgs, live: &Manifest<'_>) -> Result<Vec<u8>> {
    let Some(file) = &args.last_applied else { return Ok(live.json.clone()) };
    let source = read_one(file)?;
    let given = Manifest::only(&source)?;
    let text = String::from_utf8_lossy(&given.json).into_owned();
    let body = json!({"metadata": {"annotations": {LAST_APPLIED: text}}}).to_string();
    let patch = Patch::merge(&body).map_err(|error| live.fault(&error))?;
    apply(Guide::None, &live.json, &patch).map_err(|error| live.fault(&error).into())
}

/// What the configuration and others changed in different ways.
fn overwritten(schema: &Schema, config: &Manifest<'_>, current: &Vec<u8>) -> Result<Vec<Conflict>> {
    let original = last_applied(current)?;
    let modified = remembering_itself(schema, config)?;
    let versions = Versions { original: &original, modified: &modified, current };
    let mut found = match schema.type_of(&config.identity.api_version, &config.identity.kind) {
        Some(ty) if !ty.is_custom_resource() || schema.dialect() == Dialect::Spec => {
            conflicts(ty, &versions).map_err(|error| config.fault(&error))?
        }
        _ => {
            warn_of_merge_patch(config);
            Vec::new()
        }
    };
    // kubectl's own book-keeping is nobody's change.
    found.retain(|conflict| !conflict.path.contains(LAST_APPLIED));
    Ok(found)
}

fn warn_of_merge_patch(config: &Manifest<'_>) {
    let kind = &config.identity.kind;
    Notice::warning(format!("--no-overwrite does nothing for {kind}"))
        .reason("kubectl sends a merge patch, which sets and removes whatever others did")
        .cure("its definition (--schema FILE) and --dialect spec show what others changed")
        .say();
}

/// The configuration as kubectl sends it: what it would create.
fn remembering_itself(schema: &Schema, config: &Manifest<'_>) -> Result<Vec<u8>> {
    match kubectl_apply(schema, &config.json, None, OnConflict::Overwrite) {
        Ok(Applied::Created(object)) => Ok(object),
        Ok(_) => Ok(config.json.clone()),
        Err(error) => Err(config.fault(&error).into()),
    }
}

/// The configuration that a live object remembers; none at all is an empty one.
fn last_applied(live: &[u8]) -> Result<Vec<u8>> {
    let document = Document::check(live).map_err(|error| Notice::error(error.to_string()))?;
    let annotations = document.node().get("metadata").and_then(|metadata| metadata.get("annotations"));
    let text = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)).and_then(Node::as_str);
    Ok(text.map_or_else(|| b"{}".to_vec(), |text| text.text().as_bytes().to_vec()))
}

fn text(output: ApplyOutput, live: Option<&Manifest<'_>>, applied: &Applied<Vec<u8>>) -> Result<String> {
    let (patch, result) = match (applied, live) {
        (Applied::Configured { patch, result }, _) => (Some(patch), result.as_slice()),
        (Applied::Created(result), _) => (None, result.as_slice()),
        (Applied::Unchanged, live) => (None, live.map_or(&b"{}"[..], |live| live.json.as_slice())),
    };
    Ok(match output {
        ApplyOutput::Both => {
            format!("{}---\n# What the object would become.\n{}", sent(applied), render::yaml(result))
        }
        ApplyOutput::Patch => {
            let patch = patch.map_or_else(|| b"{}".to_vec(), Patch::to_bytes);
            format!("{}\n", String::from_utf8_lossy(&patch))
        }
        ApplyOutput::Yaml => render::object(ObjectFormat::Yaml, result),
        ApplyOutput::Json => render::object(ObjectFormat::Json, result),
        ApplyOutput::Diff => match live {
            Some(live) => diff(live, result)?,
            None => render::unified_diff("nothing", "", &render::yaml(result)),
        },
    })
}

/// What is sent, in a comment where it is no patch.
fn sent(applied: &Applied<Vec<u8>>) -> String {
    match applied {
        Applied::Created(_) => "# The object is created.\n".to_owned(),
        Applied::Unchanged => "# Nothing is sent.\n".to_owned(),
        Applied::Configured { patch, .. } => {
            format!("# The patch ({}).\n{}", patch.content_type(), render::yaml(&patch.to_bytes()))
        }
    }
}

fn diff(live: &Manifest<'_>, result: &[u8]) -> Result<String> {
    let after = yaml::apply_edits(live.source.text(), &job::edits(&[(live, result)])?);
    Ok(render::unified_diff(&live.source.name, live.source.text(), &after))
}

/// Shows the conflicts.
fn tell(conflicts: &[Conflict]) -> Result {
    let mut table = Table::new(&["FIELD", "CONFIGURATION", "LIVE OBJECT"]);
    for conflict in conflicts {
        table.row(&[conflict.path.clone(), words(&conflict.wanted), words(&conflict.current)]);
    }
    let mut out = Output::new();
    out.text(table)?;
    out.finish()?;
    Ok(Outcome::Found)
}

fn words(change: &Change) -> String {
    match change {
        Change::Set(value) => format!("sets {}", short(value.node())),
        Change::Remove => "removes it".to_owned(),
        Change::Delete(value) => format!("deletes {}", short(value.node())),
        Change::Replace(value) => format!("replaces it by {}", short(value.node())),
    }
}
