//! `kubemerge explain`: what a patch does to each field, which rule applies, and where the dialects differ.

mod operations;
mod steps;

use clap::Args;
use kubemerge::{Arena, Dialect, Schema};
use kubemerge_strategic::apply_observed;
use kubemerge_value::Document;
use serde::Serialize;

use crate::args::{
    DialectArg, FileOptions, Format, PatchOptions, PatchTypeArg, SchemaOptions, TargetOptions,
};
use crate::compare::differences;
use crate::input::Inputs;
use crate::job::{self, LoadedPatch, Manifest, Objects, Selection, pairs, type_in, type_of};
use crate::output::Stdout;
use crate::render::facts;
use crate::report::{Outcome, Result};
use steps::{Line, StepRecorder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge explain -f service.yaml -p '{\"spec\": {\"ports\": [{\"port\": 53, \"protocol\": \"TCP\"}]}}'
  kubemerge explain -f all.yaml --patch-file patch.yaml --dialect spec -o json
  helm template . | kubemerge explain -f - --patch-file patch.yaml --duplicate-keys last")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    patch: PatchOptions,
    /// Type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    #[command(flatten)]
    target: TargetOptions,
    /// Dialect to explain; differences from the other one are shown as well
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectArg,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// What a patch does to an object.
#[derive(Debug, Serialize)]
struct Explanation {
    file: String,
    object: String,
    #[serde(rename = "type")]
    patch_type: &'static str,
    /// Only strategic patches have dialects.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    steps: Vec<Line>,
    differences: Vec<DialectDifference>,
}

/// Where the dialects differ.
#[derive(Debug, Serialize)]
struct DialectDifference {
    path: String,
    words: String,
}

pub(crate) fn run(args: &ExplainArgs, inputs: &mut Inputs) -> Result {
    let patch_sources = inputs.patches(&args.patch)?;
    let sources = inputs.manifests(&args.files, &patch_sources)?;
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let objects = Objects::load_some(&sources)?;
    objects.report();
    let manifests = &objects.manifests;
    let schemas = job::load_beside(&args.schema, inputs, manifests)?.compile_both()?;
    let mut explanations = Vec::new();
    for pair in pairs(manifests, &patches, &Selection::new(&args.target, &schemas[0])?)? {
        let (manifest, patch) = (&manifests[pair.manifest], &patches[pair.patch]);
        explanations.push(match args.patch_type {
            PatchTypeArg::Strategic => explanation(&schemas, args.dialect.into(), manifest, patch)?,
            PatchTypeArg::Merge | PatchTypeArg::Json => operations::explanation(manifest, patch)?,
        });
    }
    let mut out = Stdout::new();
    out.text(facts(args.output, &explanations, |explanations| text(explanations)))?;
    out.finish()?;
    Ok(objects.outcome(Outcome::Done))
}

fn explanation(
    schemas: &[Schema; 2],
    dialect: Dialect,
    manifest: &Manifest<'_>,
    patch: &LoadedPatch<'_>,
) -> Result<Explanation> {
    let arena = Arena::new();
    let schema = if dialect == Dialect::Upstream { &schemas[0] } else { &schemas[1] };
    let ty = type_of(schema, manifest)?;
    let (live, body) = (manifest.value()?, patch.value()?);
    let mut watch = StepRecorder::new(ty);
    let merged = apply_observed(ty, live.node(), body.node(), &arena, &mut watch);
    if let Err(error) = merged {
        return Err(patch.merge_fault(&error, manifest).into());
    }
    Ok(Explanation {
        file: manifest.source.name.clone(),
        object: manifest.identity.to_string(),
        patch_type: "strategic",
        dialect: Some(dialect.name()),
        steps: watch.lines,
        differences: dialect_differences(schemas, manifest, &live, &body),
    })
}

/// Where the results of the two dialects differ.
fn dialect_differences(
    schemas: &[Schema; 2],
    manifest: &Manifest<'_>,
    live: &Document<'_>,
    patch: &Document<'_>,
) -> Vec<DialectDifference> {
    let arena = Arena::new();
    let [upstream, spec] = schemas.each_ref().map(|schema| {
        let ty = type_in(schema, manifest)?;
        Some((ty, kubemerge_strategic::apply(ty, live.node(), patch.node(), &arena)))
    });
    let (Some((custom, upstream)), Some((ty, spec))) = (upstream, spec) else { return Vec::new() };
    let told = |path: &str, words: String| vec![DialectDifference { path: path.to_owned(), words }];
    match (upstream, spec) {
        _ if custom.is_custom_resource() => told(
            &manifest.identity.kind,
            "upstream refuses strategic patches of custom resources (415)".to_owned(),
        ),
        (Ok(upstream), Ok(spec)) => differences(ty, live.node(), upstream, spec, &arena)
            .into_iter()
            .map(|one| DialectDifference { path: one.path, words: one.words })
            .collect(),
        (Err(error), Ok(_)) => told(error.path(), format!("upstream refuses the patch: {}", error.message())),
        (Ok(_), Err(error)) => told(error.path(), format!("spec refuses the patch: {}", error.message())),
        (Err(_), Err(_)) => Vec::new(),
    }
}

impl Explanation {
    /// The rules that the patch was applied by.
    fn rules(&self) -> String {
        match self.dialect {
            Some(dialect) => format!("dialect {dialect}"),
            None => format!("--type {}", self.patch_type),
        }
    }
}

fn text(explanations: &[Explanation]) -> String {
    let parts: Vec<String> = explanations.iter().map(tree).collect();
    parts.join("\n")
}

fn tree(explanation: &Explanation) -> String {
    let mut text = format!("{}: {}, {}\n", explanation.file, explanation.object, explanation.rules());
    for line in explanation.steps.iter().filter(|line| line.depth > 0) {
        let indent = "  ".repeat(line.depth);
        text.push_str(&format!("{indent}{}: {}", line.name, line.happened));
        if !line.because.is_empty() {
            text.push_str(&format!(" ({})", line.because.join("; ")));
        }
        text.push('\n');
    }
    if !explanation.differences.is_empty() {
        text.push_str("where the dialects differ\n");
        explanation
            .differences
            .iter()
            .for_each(|one| text.push_str(&format!("  {}: {}\n", one.path, one.words)));
    }
    text
}
