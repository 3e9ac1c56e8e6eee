//! `kubemerge compose`: one patch with the effect of several, applied one after the other.

use std::path::{Path, PathBuf};

use clap::Args;
use kubemerge::{Error, Patch, RuleSource, Schema, apply, compose};
use kubemerge_inspect::refusal_of_change;

use super::patch_output::PatchOutputArgs;
use super::refusal::{RefusalOptions, RefusedResult, Verdict, mask};
use crate::args::{PatchTypeArg, Recurse};
use crate::input::Inputs;
use crate::load::{LoadedPatch, Manifest, find_type};
use crate::report::{Notice, Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
The dialect upstream composes as Kubernetes does, which loses deletions; spec keeps every effect,
or reports an error if no single patch has it.

Examples:
  kubemerge compose first.yaml second.yaml --kind v1/Service --dialect spec
  kubemerge compose first.yaml second.yaml -f service.yaml --strict
  kubemerge compose --kind Deployment -p '{spec: {replicas: 3}}' -p '{spec: {paused: true}}'")]
pub(crate) struct ComposeArgs {
    /// Files with patches of one type, in the order in which they are applied
    #[arg(value_name = "PATCH", required_unless_present = "texts")]
    patches: Vec<PathBuf>,
    /// Patch as JSON or YAML, applied after those in files; repeatable
    #[arg(long = "patch", short = 'p', value_name = "PATCH")]
    texts: Vec<String>,
    /// The type of the patches
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    /// The kind of the objects [default: the kind that the patches name]
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// An object that the patches are for: tells when the API server would refuse the result
    #[arg(long = "filename", short = 'f', value_name = "FILE")]
    object: Option<PathBuf>,
    #[command(flatten)]
    refusal: RefusalOptions,
    #[command(flatten)]
    output_options: PatchOutputArgs,
}

pub(crate) fn run(args: &ComposeArgs, inputs: &mut Inputs) -> Result {
    let mut sources = inputs.read(&args.patches, Recurse::No)?;
    sources.extend(args.texts.iter().map(|text| inputs.patch(text)));
    let loaded = LoadedPatch::all(&sources, args.patch_type.into())?;
    check_same_object(&loaded)?;
    let patches = loaded.iter().map(LoadedPatch::patch).collect::<Result<Vec<_>>>()?;
    let schema = args.output_options.schema(inputs)?;
    let rules = rules(args, &schema, &loaded)?;
    let composed = compose(rules, &patches).map_err(|error| fault(&error))?;
    if let Some(path) = &args.object {
        let refused = refused_results(path, &schema, rules, &composed, inputs)?;
        if args.refusal.report(&refused) == Verdict::Stop {
            return Ok(Outcome::Found);
        }
    }
    args.output_options.write(&[composed.to_bytes()])?;
    Ok(Outcome::Done)
}

/// The objects of a file for which the API server would refuse the result of the patch.
fn refused_results(
    path: &Path,
    schema: &Schema,
    rules: RuleSource<'_>,
    patch: &Patch<'_>,
    inputs: &mut Inputs,
) -> Result<Vec<RefusedResult>> {
    let sources = inputs.read(&[path.to_owned()], Recurse::No)?;
    let mut refused = Vec::new();
    for object in Manifest::some(path, &sources)? {
        let result = apply(rules, &object.json, patch).map_err(|error| object.fault(&error))?;
        let causes = mask(refusal_of_change(schema, &object.json, &result), inputs, &object.identity);
        if !causes.is_empty() {
            refused.push(RefusedResult { title: object.title(), causes });
        }
    }
    Ok(refused)
}

/// Patches that name their objects must name the same one.
fn check_same_object(patches: &[LoadedPatch<'_>]) -> Result<()> {
    let mut named = patches.iter().filter_map(|patch| Some((patch, patch.names.as_ref()?)));
    let Some((_, first)) = named.next() else { return Ok(()) };
    match named.find_map(|(patch, names)| Some((patch, names, first.difference(names)?))) {
        None => Ok(()),
        Some((patch, names, path)) => {
            let title = format!("the patches are for {} and for {}", first.in_full(), names.in_full());
            Err(Notice::error(title).at(patch.excerpt(path)).help("compose patches of one object").into())
        }
    }
}

/// The schema that the patches need.
fn rules<'s>(args: &ComposeArgs, schema: &'s Schema, patches: &[LoadedPatch<'_>]) -> Result<RuleSource<'s>> {
    // Merge patches and JSON patches compose without a schema.
    if args.patch_type != PatchTypeArg::Strategic {
        return Ok(RuleSource::None);
    }
    // All patches that name an object name the same one.
    let named = patches.iter().find_map(|patch| patch.names.as_ref());
    let kind = match (&args.kind, named) {
        (Some(kind), _) => kind.clone(),
        (None, Some(names)) if names.api_version.is_empty() => names.kind.clone(),
        (None, Some(names)) => format!("{}/{}", names.api_version, names.kind),
        (None, None) => {
            let notice = Notice::error("the patches do not name the kind of their objects");
            return Err(notice.help("give --kind KIND").into());
        }
    };
    find_type(schema, &kind).map(RuleSource::Type)
}

fn fault(error: &Error) -> Notice {
    let place = if error.path().is_empty() { String::new() } else { format!("{}: ", error.path()) };
    let notice = Notice::error(format!("{place}{}", error.message())).code(error.kind().name());
    notice.hint(error.hint())
}
