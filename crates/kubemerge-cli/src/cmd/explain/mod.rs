//! `kubemerge explain`: what a patch does to each field, which rule decides, and where the dialects differ.

mod watch;

use clap::Args;
use kubemerge::{Arena, Dialect, Schema};
use kubemerge_strategic::apply_observed;
use kubemerge_value::Document;
use serde::Serialize;

use crate::args::{DialectWord, FileOptions, Format, PatchOptions, SchemaOptions, TargetOptions, TypeWord};
use crate::compare::differences;
use crate::failure::{Outcome, Result};
use crate::input::{read_all, without};
use crate::job::{self, LoadedPatch, Manifest, pairs, patch_sources, type_in, type_of};
use crate::output::Output;
use crate::render::facts;
use watch::{Line, Watch};

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
    #[command(flatten)]
    target: TargetOptions,
    /// Which dialect to explain; differences from the other one are shown, too
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectWord,
    /// How to write it
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// What a patch does to an object.
#[derive(Debug, Serialize)]
struct Story {
    file: String,
    object: String,
    dialect: &'static str,
    steps: Vec<Line>,
    differences: Vec<Divergence>,
}

/// Where the dialects differ.
#[derive(Debug, Serialize)]
struct Divergence {
    path: String,
    words: String,
}

pub(crate) fn run(args: &ExplainArgs) -> Result {
    let patch_files = args.patch.find()?;
    let origins = without(args.files.find()?, &patch_files);
    let sources = patch_sources(args.patch.patch.as_deref(), &patch_files)?;
    let patches = LoadedPatch::all(&sources, TypeWord::Strategic.into())?;
    let schemas = job::load_beside(&args.schema, &origins)?.compile_both()?;
    let texts = read_all(&origins)?;
    let manifests = Manifest::all_of(&texts)?;
    let mut stories = Vec::new();
    for pair in pairs(&manifests, &patches, &args.target.asked(&schemas[0])?)? {
        stories.push(story(&schemas, args.dialect.into(), &manifests[pair.manifest], &patches[pair.patch])?);
    }
    let mut out = Output::new();
    out.text(facts(args.output, &stories, |stories| text(stories)))?;
    out.finish()?;
    Ok(Outcome::Done)
}

fn story(
    schemas: &[Schema; 2],
    dialect: Dialect,
    manifest: &Manifest<'_>,
    patch: &LoadedPatch<'_>,
) -> Result<Story> {
    let arena = Arena::new();
    let schema = if dialect == Dialect::Upstream { &schemas[0] } else { &schemas[1] };
    let ty = type_of(schema, manifest)?;
    let (live, body) = (manifest.value()?, patch.value()?);
    let mut watch = Watch::new(ty);
    let merged = apply_observed(ty, live.node(), body.node(), &arena, &mut watch);
    if let Err(error) = merged {
        return Err(patch.merge_fault(&error, manifest).into());
    }
    Ok(Story {
        file: manifest.source.name.clone(),
        object: manifest.identity.to_string(),
        dialect: dialect.name(),
        steps: watch.lines,
        differences: divergences(schemas, manifest, &live, &body),
    })
}

/// What the two dialects make of the same patch, where that is not the same.
fn divergences(
    schemas: &[Schema; 2],
    manifest: &Manifest<'_>,
    live: &Document<'_>,
    patch: &Document<'_>,
) -> Vec<Divergence> {
    let arena = Arena::new();
    let [upstream, spec] = schemas.each_ref().map(|schema| {
        let ty = type_in(schema, manifest)?;
        Some((ty, kubemerge_strategic::apply(ty, live.node(), patch.node(), &arena)))
    });
    let (Some((custom, upstream)), Some((ty, spec))) = (upstream, spec) else { return Vec::new() };
    let told = |path: &str, words: String| vec![Divergence { path: path.to_owned(), words }];
    match (upstream, spec) {
        _ if custom.is_custom_resource() => told(
            &manifest.identity.kind,
            "upstream refuses strategic patches of custom resources (415)".to_owned(),
        ),
        (Ok(upstream), Ok(spec)) => differences(ty, live.node(), upstream, spec, &arena)
            .into_iter()
            .map(|one| Divergence { path: one.path, words: one.words })
            .collect(),
        (Err(error), Ok(_)) => told(error.path(), format!("upstream refuses the patch: {}", error.message())),
        (Ok(_), Err(error)) => told(error.path(), format!("spec refuses the patch: {}", error.message())),
        (Err(_), Err(_)) => Vec::new(),
    }
}

fn text(stories: &[Story]) -> String {
    let parts: Vec<String> = stories.iter().map(tree).collect();
    parts.join("\n")
}

fn tree(story: &Story) -> String {
    let mut text = format!("{}: {}, dialect {}\n", story.file, story.object, story.dialect);
    for line in story.steps.iter().filter(|line| line.depth > 0) {
        let indent = "  ".repeat(line.depth);
        text.push_str(&format!("{indent}{}: {}", line.name, line.happened));
        if !line.because.is_empty() {
            text.push_str(&format!(" ({})", line.because.join("; ")));
        }
        text.push('\n');
    }
    if !story.differences.is_empty() {
        text.push_str("where the dialects differ\n");
        story.differences.iter().for_each(|one| text.push_str(&format!("  {}: {}\n", one.path, one.words)));
    }
    text
}
