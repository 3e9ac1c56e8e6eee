//! `kubemerge apply`: what `kubectl apply` would send, and what the object would become.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kubemerge::{Change, Conflict, Guide, OnConflict, Patch, Type, Versions, apply, conflicts, three_way};
use kubemerge_value::Canonical;
use serde_json::json;

use crate::args::{DialectWord, ObjectFormat, SchemaOptions};
use crate::failure::{Outcome, Result};
use crate::input::{Source, read_one};
use crate::job::{self, Manifest, type_of};
use crate::notice::Notice;
use crate::output::Output;
use crate::render::{self, Table, short};

/// Where kubectl keeps the configuration that was applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

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
    /// The object on the server
    #[arg(long, value_name = "LIVE")]
    live: PathBuf,
    /// The configuration that was applied last [default: the annotation of the live object]
    #[arg(long, value_name = "FILE")]
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
    let (config, live) = (read_one(&args.config)?, read_one(&args.live)?);
    let (config, live) = (Manifest::only(&config)?, Manifest::only(&live)?);
    let schema = job::load(&args.schema)?.compile(args.dialect.into())?;
    let ty = type_of(&schema, &config)?;
    let original = last_applied(args, &live)?;
    let modified = with_annotation(&config)?;
    let versions = Versions { original: &original, modified: &modified, current: &live.json };
    if args.no_overwrite {
        let mut found = conflicts(ty, &versions).map_err(|error| config.fault(&error))?;
        // kubectl's own book-keeping is nobody's change.
        found.retain(|conflict| !conflict.path.contains(LAST_APPLIED));
        if !found.is_empty() {
            return tell(&found);
        }
    }
    let patch = three_way(ty, &versions, OnConflict::Overwrite).map_err(|error| config.fault(&error))?;
    let result = result(ty, &config, &live, &patch)?;
    let mut out = Output::new();
    out.text(text(args.output, &live, &patch, &result)?)?;
    out.finish()?;
    Ok(Outcome::Done)
}

/// The configuration that was applied last; none at all is an empty one.
fn last_applied(args: &ApplyArgs, live: &Manifest<'_>) -> Result<Vec<u8>> {
    if let Some(file) = &args.last_applied {
        return Ok(Manifest::only(&read_one(file)?)?.json);
    }
    let document = live.value()?;
    let annotations = document.node().get("metadata").and_then(|metadata| metadata.get("annotations"));
    let Some(text) = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)) else {
        return Ok(b"{}".to_vec());
    };
    let text = text.as_str().map(|text| text.text().into_owned()).unwrap_or_default();
    let name = format!("{} ({LAST_APPLIED})", live.source.name);
    let source = Source { name, bytes: text.into_bytes() };
    Ok(Manifest::only(&source)?.json)
}

/// The configuration with itself as annotation, as kubectl sends it.
fn with_annotation(config: &Manifest<'_>) -> Result<Vec<u8>> {
    let annotated = |json: &Vec<u8>, value: serde_json::Value| -> Result<Vec<u8>> {
        let body = json!({"metadata": {"annotations": {LAST_APPLIED: value}}}).to_string();
        let patch = Patch::merge(&body).map_err(|error| config.fault(&error))?;
        apply(Guide::None, json, &patch).map_err(|error| config.fault(&error).into())
    };
    let bare = annotated(&config.json, serde_json::Value::Null)?;
    let canonical = Canonical::from_bytes(&bare).map_err(|error| Notice::error(error.to_string()))?;
    let text = format!("{}\n", String::from_utf8_lossy(canonical.as_bytes()));
    annotated(&bare, text.into())
}

fn result(ty: Type<'_>, config: &Manifest<'_>, live: &Manifest<'_>, patch: &Patch<'_>) -> Result<Vec<u8>> {
    apply(ty, &live.json, patch).map_err(|error| config.fault(&error).into())
}

fn text(output: ApplyOutput, live: &Manifest<'_>, patch: &Patch<'_>, result: &[u8]) -> Result<String> {
    Ok(match output {
        ApplyOutput::Both => format!(
            "# The patch ({}).\n{}---\n# What the object would become.\n{}",
            patch.content_type(),
            render::yaml(&patch.to_bytes()),
            render::yaml(result)
        ),
        ApplyOutput::Patch => format!("{}\n", String::from_utf8_lossy(&patch.to_bytes())),
        ApplyOutput::Yaml => render::object(ObjectFormat::Yaml, result),
        ApplyOutput::Json => render::object(ObjectFormat::Json, result),
        ApplyOutput::Diff => {
            let edits = live.document.edits_to_json(result);
            let edits = edits.map_err(|error| Notice::error(format!("{}: {error}", live.title())))?;
            let after = kubemerge_value::yaml::apply_edits(live.source.text(), &edits);
            render::unified_diff(&live.source.name, live.source.text(), &after)
        }
    })
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
