//! `kubemerge explain`: what a patch does to each field, which rule applies, and where the dialects differ.

mod operations;
mod text;

use std::collections::BTreeMap;

use clap::Args;
use kubemerge::{Dialect, Schema, apply};
use kubemerge_inspect::{
    DialectDifference, DialectOutcome, DialectSchemas, MergeStep, RefusalCause, explain, mask_secrets,
    refusal_of_change,
};
use serde::Serialize;

use super::refusal::{RefusalOptions, Verdict, mask};
use super::repeated;
use crate::args::{
    FileOptions, Format, PatchDialectArg, PatchOptions, PatchTypeArg, SchemaOptions, TargetOptions,
};
use crate::input::{Inputs, Secrets};
use crate::load::{self, Identity, LoadedPatch, Manifest, Objects, Selection, pairs, type_of};
use crate::output::Stdout;
use crate::render::facts;
use crate::report::Result;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge explain -f service.yaml -p '{\"spec\": {\"ports\": [{\"port\": 53, \"protocol\": \"TCP\"}]}}'
  kubemerge explain -f all.yaml --patch-file patch.yaml --dialect spec -o json --strict
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
    /// Dialect to explain; where upstream and spec differ is shown as well, and where kustomize differs from
    /// them
    #[arg(long, value_enum, default_value_t)]
    dialect: PatchDialectArg,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    refusal: RefusalOptions,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// What a patch does to an object.
#[derive(Debug, Serialize)]
struct ObjectExplanation {
    file: String,
    object: String,
    #[serde(rename = "type")]
    patch_type: &'static str,
    /// Only strategic patches have dialects.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    steps: Vec<MergeStep>,
    differences: Vec<DifferenceFact>,
    /// Why the API server would refuse the result.
    refusal: Vec<RefusalCause>,
}

/// Where the dialects differ.
#[derive(Debug, Serialize)]
struct DifferenceFact {
    path: String,
    /// What each dialect does there.
    dialects: BTreeMap<&'static str, DialectOutcome>,
    #[serde(skip)]
    words: String,
}

impl DifferenceFact {
    fn new(difference: DialectDifference) -> DifferenceFact {
        let words = difference.words();
        DifferenceFact { path: difference.path, dialects: difference.outcomes.into_iter().collect(), words }
    }

    /// Hides values.
    fn mask(&mut self) {
        self.words = "***".to_owned();
        self.dialects.values_mut().for_each(|outcome| *outcome = DialectOutcome::Value("***".to_owned()));
    }
}

/// The rules of the dialects.
struct Schemas {
    /// Of `upstream` and `spec`.
    both: [Schema; 2],
    /// Of `kustomize`, if it is explained.
    kustomize: Option<Schema>,
}

impl Schemas {
    fn load(args: &ExplainArgs, inputs: &mut Inputs, manifests: &[Manifest<'_>]) -> Result<Schemas> {
        let both = load::schemas_beside(&args.schema, inputs, manifests)?.compile_both()?;
        let is_explained = args.dialect == PatchDialectArg::Kustomize;
        let kustomize = is_explained.then(|| load::kustomize_schema(&args.schema, inputs)).transpose()?;
        Ok(Schemas { both, kustomize })
    }

    /// The rules that are explained.
    fn chosen(&self, dialect: Dialect) -> &Schema {
        match (&self.kustomize, dialect) {
            (Some(schema), _) => schema,
            (None, Dialect::Upstream) => &self.both[0],
            // Only `spec` is left: kustomize has rules of its own above.
            (None, _) => &self.both[1],
        }
    }

    fn of_dialects(&self) -> DialectSchemas<'_> {
        let [upstream, spec] = &self.both;
        DialectSchemas { upstream, spec, kustomize: self.kustomize.as_ref() }
    }
}

pub(crate) fn run(args: &ExplainArgs, inputs: &mut Inputs) -> Result {
    let patch_sources = inputs.patches(&args.patch)?;
    let sources = inputs.manifests(&args.files, &patch_sources)?;
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let objects = Objects::load_some(&sources)?;
    // Before the explanation, which may be long.
    objects.report();
    let manifests = &objects.manifests;
    let schemas = Schemas::load(args, inputs, manifests)?;
    let mut explanations: Vec<ObjectExplanation> = Vec::new();
    // Names of kinds are the same in all dialects, so any schema resolves targets.
    let pairs = pairs(manifests, &patches, &Selection::new(&args.target, &schemas.both[0])?)?;
    for pair in &pairs {
        let (manifest, patch) = (&manifests[pair.manifest], &patches[pair.patch]);
        let mut explanation = match args.patch_type {
            PatchTypeArg::Strategic => explanation(&schemas, args.dialect.into(), manifest, patch)?,
            PatchTypeArg::Merge | PatchTypeArg::Json => operations::explanation(manifest, patch)?,
        };
        let refusal = refusal(&schemas, args.dialect.into(), manifest, patch)?;
        explanation.refusal = mask(refusal, inputs, &manifest.identity);
        if inputs.secrets() == Secrets::Masked && manifest.identity.is_secret() {
            mask_secrets(&mut explanation.steps);
            // Differences quote values.
            explanation.differences.iter_mut().for_each(DifferenceFact::mask);
        }
        explanations.push(explanation);
    }
    let merged = pairs.iter().map(|pair| (&manifests[pair.manifest], &patches[pair.patch]));
    let repeated = repeated::items(schemas.chosen(args.dialect.into()), merged)?;
    let verdict = args.refusal.report_findings(repeated);
    let mut out = Stdout::new();
    out.text(facts(args.output, &explanations, |explanations| text::text(explanations)))?;
    out.finish()?;
    let refused = verdict == Verdict::Stop || explanations.iter().any(|one| !one.refusal.is_empty());
    Ok(objects.outcome(args.refusal.outcome(refused)))
}

/// Why the API server would refuse the result of the patch.
fn refusal(
    schemas: &Schemas,
    dialect: Dialect,
    manifest: &Manifest<'_>,
    patch: &LoadedPatch<'_>,
) -> Result<Vec<RefusalCause>> {
    let result = apply(schemas.chosen(dialect), &manifest.json, &patch.patch()?)
        .map_err(|error| patch.fault(&error, error.path(), &manifest.title()))?;
    // kustomize's schema is too old to judge by, and it may delete an object.
    let judge = if dialect == Dialect::Spec { &schemas.both[1] } else { &schemas.both[0] };
    match result.as_slice() {
        // A deleted object is not stored, so nothing refuses it.
        b"null" => Ok(Vec::new()),
        result => Ok(refusal_of_change(judge, &manifest.json, result)),
    }
}

fn explanation(
    schemas: &Schemas,
    dialect: Dialect,
    manifest: &Manifest<'_>,
    patch: &LoadedPatch<'_>,
) -> Result<ObjectExplanation> {
    // Fails where the API server would refuse the patch, whatever it says.
    type_of(schemas.chosen(dialect), manifest)?;
    let (live, body) = (manifest.value()?, patch.value()?);
    let Identity { api_version, kind, .. } = &manifest.identity;
    let explained = explain(schemas.of_dialects(), dialect, api_version, kind, live.node(), body.node());
    let explained = explained.map_err(|error| patch.merge_fault(&error, manifest))?;
    let differences = explained.differences.into_iter();
    Ok(ObjectExplanation {
        file: manifest.source.name.clone(),
        object: manifest.identity.to_string(),
        patch_type: "strategic",
        dialect: Some(dialect.name()),
        steps: explained.steps,
        differences: differences.map(DifferenceFact::new).collect(),
        refusal: Vec::new(),
    })
}
