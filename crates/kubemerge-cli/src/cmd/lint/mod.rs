//! `kubemerge lint`: finds common mistakes in manifests and patches.
//!
//! The crate `kubemerge-inspect` has the rules; `kustomize` follows kustomizations, `settings` decides which findings
//! are shown, `output` how.

mod findings;
mod kustomize;
mod output;
mod repeated;
mod settings;

use std::collections::BTreeSet;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kubemerge_inspect::{Finding, LintObject, LintPatch, Linter};
use kubemerge_value::Document;
use rayon::prelude::*;

use crate::args::{PatchOptions, PatchTypeArg, Recurse, SchemaOptions};
use crate::input::{Exclude, Inputs, without};
use crate::load::{self, Filter, Index, LoadedPatch, Manifest, Objects, Selection};
use crate::report::{Excerpt, Failure, Notice, Outcome, Result, Severity, sanitize};
use findings::{BROKEN_DEFINITION, BROKEN_YAML, NO_SCHEMA, NO_TARGET, UNREADABLE, shown};
use settings::Settings;

#[derive(Debug, Args)]
#[command(after_help = "\
Exits 1 if there is a finding, and 2 if something could not be read or used at all.
A comment `# kubemerge: ignore RULE` hides a finding on its line, or on the next one if it is alone.

Examples:
  kubemerge lint -R manifests
  kubemerge lint -R manifests --patch-file patch.yaml
  kubemerge lint -R . --exclude templates --min-severity error -o github
  kubemerge lint --patch-file patch.yaml -o sarif > findings.sarif
  kubemerge lint --list-rules")]
pub(crate) struct LintArgs {
    /// Manifests: files, folders, globs, or - for stdin
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Manifests, as for other commands; repeatable
    #[arg(long = "filename", short = 'f', value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Skip files and folders of this name or path, with wildcards; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Patch to check, as JSON or YAML
    #[arg(long, short, value_name = "PATCH")]
    patch: Option<String>,
    /// File with one or more patches to check; repeatable
    #[arg(long, value_name = "FILE")]
    patch_file: Vec<PathBuf>,
    /// Type of the patches
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    /// Do not apply this rule; repeatable
    #[arg(long, value_name = "RULE")]
    ignore: Vec<String>,
    /// Set the severity of a rule to warning or error; repeatable
    #[arg(long, value_name = "RULE=SEVERITY")]
    severity: Vec<String>,
    /// Show only findings that are at least this serious
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    min_severity: SeverityArg,
    /// Report objects whose kind the schema does not have
    #[arg(long)]
    require_schema: bool,
    /// List all rules
    #[arg(long)]
    list_rules: bool,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: LintFormat,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SeverityArg {
    #[default]
    Warning,
    Error,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum LintFormat {
    /// Text for reading
    #[default]
    Text,
    /// JSON
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// Annotations of GitHub workflows
    Github,
}

pub(crate) fn run(args: &LintArgs, inputs: &mut Inputs) -> Result {
    let settings = Settings::new(args)?;
    if args.list_rules {
        output::list_rules()?;
        return Ok(Outcome::Done);
    }
    let options = PatchOptions { patch: args.patch.clone(), patch_file: args.patch_file.clone() };
    let patch_sources = inputs.patches(&options)?;
    let words: Vec<PathBuf> = args.paths.iter().chain(&args.files).cloned().collect();
    // Not required by the parser, because kubemerge.toml may name paths.
    if words.is_empty() && patch_sources.is_empty() {
        let notice = Notice::error("there is nothing to check");
        return Err(notice.help("give files, or a patch with -p or --patch-file").into());
    }
    let exclude = Exclude::new(&args.exclude)?;
    // What cannot be read or used is a finding here, not an error of the command.
    let readable = inputs.read_readable(&words, Recurse::from(args.recursive), &exclude)?;
    let sources = without(readable.sources, &patch_sources);
    let objects = Objects::load(&sources);
    objects.report_skipped_documents();
    let (schemas, unusable) = load::schemas_of_usable(&args.schema, inputs, &objects.manifests)?;
    let schemas = schemas.compile_both()?;
    // Both dialects: merge traps are found by comparing them.
    let linter = Linter::new(&schemas[0], &schemas[1], schemas[0].minor().unwrap_or(u32::MAX));
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let mut notices: Vec<Notice> =
        readable.unreadable.into_iter().map(|(path, notice)| unread(&path, notice)).collect();
    notices.extend(objects.unreadable.iter().map(|notice| notice.clone().code(BROKEN_YAML)));
    notices.extend(unusable.into_iter().map(|notice| notice.code(BROKEN_DEFINITION)));
    notices.extend(kustomize::findings(linter, objects.kustomizations, &sources, &exclude)?);
    notices.extend(manifests(linter, &objects.manifests)?);
    notices.extend(repeated::objects(&objects.manifests));
    note_unions(linter, &objects.manifests);
    notices.extend(unchecked(linter, &objects.manifests, args.require_schema));
    notices.extend(all_patches(linter, &patches, &objects.manifests)?);
    // Last, so that every kind of finding can be ignored or graded.
    let notices = settings.apply(notices);
    output::write(args.output, &notices)?;
    Ok(outcome(&notices))
}

/// Exit code 2 says that something was not checked at all.
fn outcome(notices: &[Notice]) -> Outcome {
    match notices {
        [] => Outcome::Done,
        _ if notices.iter().any(|notice| notice.code.is_some_and(|code| INCOMPLETE.contains(&code))) => {
            Outcome::Incomplete
        }
        _ => Outcome::Found,
    }
}

/// A path that could not be read, as a finding.
fn unread(path: &Path, notice: Notice) -> Notice {
    notice.code(UNREADABLE).at(Excerpt::cut(&path.display().to_string(), "", 0..0, ""))
}

/// Findings after which objects have not been checked.
const INCOMPLETE: [&str; 2] = [BROKEN_DEFINITION, UNREADABLE];

/// The findings of all texts, in their order.
fn manifests(linter: Linter<'_>, manifests: &[Manifest<'_>]) -> Result<Vec<Notice>> {
    // A text is linted as a whole: it may have too many findings to show, and its comments hide some.
    let texts: Vec<&[Manifest<'_>]> =
        manifests.chunk_by(|one, other| std::ptr::eq(one.source, other.source)).collect();
    let found: Vec<Result<Vec<Notice>>> =
        texts.par_iter().map(|text| findings_of_text(linter, text)).collect();
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn findings_of_text(linter: Linter<'_>, manifests: &[Manifest<'_>]) -> Result<Vec<Notice>> {
    let values = manifests.iter().map(Manifest::value).collect::<Result<Vec<Document<'_>>>>()?;
    let objects: Vec<(&Manifest<'_>, LintObject<'_>)> = manifests
        .iter()
        .zip(&values)
        .map(|(manifest, value)| (manifest, manifest.lint_object(value)))
        .collect();
    let documents = objects.chunk_by(|(one, _), (other, _)| one.is_beside(other));
    let documents: Vec<_> = documents
        .map(|beside| (&*beside[0].0.document, beside.iter().map(|(_, object)| *object).collect()))
        .collect();
    let source = manifests[0].source;
    Ok(shown(source, linter.objects(&documents)))
}

/// Says once for each kind that its unions have no effect in a cluster.
fn note_unions(linter: Linter<'_>, manifests: &[Manifest<'_>]) {
    let kinds = manifests.iter().map(|manifest| (&manifest.identity.api_version, &manifest.identity.kind));
    for (api_version, kind) in kinds.collect::<BTreeSet<_>>() {
        if linter.ignores_unions(api_version, kind) {
            let title = format!("Kubernetes ignores the x-kubernetes-unions of {kind} ({api_version})");
            let help = "the dialect spec checks them, and its merges clear what they exclude";
            Notice::note(title).help(help).print();
        }
    }
}

/// Objects that could not be checked: a line that counts them, or a finding for each.
fn unchecked(linter: Linter<'_>, manifests: &[Manifest<'_>], required: bool) -> Vec<Notice> {
    let is_unchecked = |manifest: &&Manifest<'_>| {
        let identity = &manifest.identity;
        !linter.has_schema(&identity.api_version, &identity.kind)
            // Built-in groups have no custom kinds: those are reported as unknown.
            && linter.may_be_custom(&identity.api_version)
    };
    let unchecked: Vec<&Manifest<'_>> = manifests.iter().filter(is_unchecked).collect();
    if !required {
        if let Some(line) = unchecked_line(&unchecked) {
            eprintln!("{line}");
        }
        return Vec::new();
    }
    unchecked.into_iter().map(no_schema).collect()
}

/// How many kinds are named of those without a schema.
const NAMED_KINDS: usize = 5;

/// `2 objects not checked: no schema for Kiosk (shop.example.com/v1), …`.
fn unchecked_line(unchecked: &[&Manifest<'_>]) -> Option<String> {
    let kinds = unchecked.iter().map(|manifest| (&manifest.identity.kind, &manifest.identity.api_version));
    let kinds: BTreeSet<_> = kinds.collect();
    let names = kinds.iter().map(|(kind, version)| format!("{} ({})", sanitize(kind), sanitize(version)));
    let mut names: Vec<String> = names.take(NAMED_KINDS).collect();
    if let more @ 1.. = kinds.len() - names.len() {
        names.push(format!("{more} more kinds"));
    }
    let (objects, definitions) = match unchecked.len() {
        0 => return None,
        1 => ("1 object".to_owned(), "its CustomResourceDefinition"),
        count => (format!("{count} objects"), "their CustomResourceDefinitions"),
    };
    let names = names.join(", ");
    Some(format!("{objects} not checked: no schema for {names}; give {definitions} with --schema FILE"))
}

fn no_schema(manifest: &Manifest<'_>) -> Notice {
    let (kind, version) = (&manifest.identity.kind, &manifest.identity.api_version);
    Notice::error(format!("the schema has no {kind} of {version}"))
        .code(NO_SCHEMA)
        .at(manifest.excerpt("kind", ""))
        .reason("nothing in the object was checked")
        .help("give its CustomResourceDefinition with --schema FILE")
}

/// The findings in patches, each with the object it is for, where that is known.
fn all_patches(
    linter: Linter<'_>,
    patches: &[LoadedPatch<'_>],
    manifests: &[Manifest<'_>],
) -> Result<Vec<Notice>> {
    let index = Index::new(manifests, &Filter::default());
    let mut notices = Vec::new();
    for patch in patches {
        let targets = match index.targets(patch, &Selection::default()) {
            Ok(found) => found.iter().map(|at| Some(&manifests[*at])).collect(),
            // Without any object there is nothing that a patch could be expected to find.
            Err(Failure::Error(notice)) if !manifests.is_empty() => {
                notices.push(no_target(*notice));
                vec![None]
            }
            Err(_) => vec![None],
        };
        // A patch of many objects has the same findings for each.
        let mut known = HashSet::new();
        for target in targets {
            let found = findings_of_patch(linter, patch, target)?;
            let new =
                found.into_iter().filter(|one| known.insert((one.location.range.start, one.message.clone())));
            notices.extend(shown(patch.source, new.collect()));
        }
    }
    Ok(notices)
}

fn findings_of_patch(
    linter: Linter<'_>,
    patch: &LoadedPatch<'_>,
    target: Option<&Manifest<'_>>,
) -> Result<Vec<Finding>> {
    // The object knows its version even if the patch does not name one.
    let identity = target.map(|target| &target.identity).or(patch.names.as_ref());
    let (api_version, kind) =
        identity.map_or(("", ""), |identity| (identity.api_version.as_str(), identity.kind.as_str()));
    let given = patch.patch()?;
    let lint_patch = LintPatch { document: &patch.document, patch: &given, api_version, kind };
    let live = target.map(Manifest::value).transpose()?;
    Ok(linter.patch(&lint_patch, live.as_ref().map(Document::node)))
}

/// A patch without an object is no error here: it is checked alone.
fn no_target(notice: Notice) -> Notice {
    let help = Some("the patch was checked alone; give the file of its object with -f".to_owned());
    Notice { code: Some(NO_TARGET), severity: Severity::Warning, help, ..notice }
}
