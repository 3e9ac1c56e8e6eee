//! `kubemerge lint`: finds common mistakes in manifests and patches.
//!
//! `walk` compares a document with its schema, `trap` checks how YAML was read, `merge` tries a patch on the
//! object it is for, and `findings` collects the results. `rule` has the codes, the reasons and the help texts.

mod findings;
mod merge;
mod rule;
mod trap;
mod walk;

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kubemerge::{Arena, PatchType, Schema, Type};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Document, Path};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{Format, PatchOptions, PatchTypeArg, Recurse, SchemaOptions};
use crate::input::{Inputs, without};
use crate::job::{self, Filter, Identity, Index, LoadedPatch, Manifest, Objects, Part, Selection, roots};
use crate::output::Stdout;
use crate::render::{facts, render_notices, sarif};
use crate::report::{Excerpt, Failure, Notice, Outcome, Result, Severity};
use findings::Findings;
use rule::Rule;
use walk::{Role, Types, Walk};

#[derive(Debug, Args)]
#[command(after_help = "\
Exits 1 if there is a finding.

Examples:
  kubemerge lint -f service.yaml
  kubemerge lint -R -f manifests --patch-file patch.yaml
  kubemerge lint --patch-file patch.yaml -o sarif > findings.sarif")]
pub(crate) struct LintArgs {
    /// Manifests: files, folders, globs, or - for stdin; repeatable
    #[arg(long = "filename", short = 'f', value_name = "FILE", required_unless_present_any = ["patch", "patch_file"])]
    files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Patch to check, as JSON or YAML
    #[arg(long, short, value_name = "PATCH")]
    patch: Option<String>,
    /// File with one or more patches to check; repeatable
    #[arg(long, value_name = "FILE")]
    patch_file: Vec<PathBuf>,
    /// Type of the patches
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: LintFormat,
    #[command(flatten)]
    schema: SchemaOptions,
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
}

/// A finding for programs.
#[derive(Debug, Serialize)]
struct Fact<'n> {
    file: &'n str,
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'n str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'n str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'n str>,
}

pub(crate) fn run(args: &LintArgs, inputs: &mut Inputs) -> Result {
    let options = PatchOptions { patch: args.patch.clone(), patch_file: args.patch_file.clone() };
    let patch_sources = inputs.patches(&options)?;
    let sources = inputs.read(&args.files, Recurse::from(args.recursive))?;
    let sources = without(sources, &patch_sources);
    let objects = Objects::load(&sources);
    objects.report_skipped();
    let manifests = &objects.manifests;
    let schemas = job::load_beside(&args.schema, inputs, manifests)?.compile_both()?;
    let linter = Linter { schemas: &schemas };
    let files: Vec<&[Manifest<'_>]> =
        manifests.chunk_by(|one, other| std::ptr::eq(one.source, other.source)).collect();
    let found: Vec<Result<Vec<Notice>>> = files.par_iter().map(|file| linter.manifests(file)).collect();
    let broken = objects.unreadable.iter().cloned();
    let mut findings: Vec<Notice> = broken.map(|notice| notice.code(Rule::BrokenYaml.code())).collect();
    for found in found {
        findings.extend(found?);
    }
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    findings.extend(linter.patches(&patches, manifests)?);
    write(args.output, &findings)?;
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Fields and directives of a strategic patch that do not exist.
pub(crate) fn unknown_names(ty: Type<'_>, patch: &LoadedPatch<'_>) -> Result<Vec<Notice>> {
    let mut findings = Findings::default();
    walk_patch(Types { upstream: ty, spec: ty }, patch, &patch.value()?, &mut findings);
    let is_unknown = |notice: &Notice| {
        let unknown = [Rule::UnknownField, Rule::UnknownDirective, Rule::MoreFindings];
        unknown.iter().any(|rule| notice.code == Some(rule.code()))
    };
    let found = findings.finish().into_iter().filter(is_unknown);
    Ok(found.map(|notice| Notice { severity: Severity::Warning, ..notice }).collect())
}

fn write(format: LintFormat, findings: &[Notice]) -> Result<()> {
    let mut out = Stdout::new();
    match format {
        LintFormat::Text => out.text(render_notices(findings.iter()))?,
        LintFormat::Json => {
            let listed: Vec<Fact<'_>> = findings.iter().map(fact).collect();
            out.text(facts(Format::Json, &listed, |_| String::new()))?;
        }
        LintFormat::Sarif => out.text(facts(Format::Json, &sarif(findings), |_| String::new()))?,
    }
    out.finish()
}

fn fact(notice: &Notice) -> Fact<'_> {
    let excerpt = notice.excerpts.first();
    let position = excerpt.map(Excerpt::position);
    Fact {
        file: excerpt.map_or("", |excerpt| excerpt.name()),
        line: position.map_or(0, |position| position.line),
        column: position.map_or(0, |position| position.column),
        severity: if notice.severity == Severity::Error { "error" } else { "warning" },
        code: notice.code.unwrap_or_default(),
        message: &notice.title,
        reason: notice.reason.as_deref(),
        help: notice.help.as_deref(),
    }
}

/// The schema in both dialects, `upstream` first.
struct Linter<'s> {
    schemas: &'s [Schema; 2],
}

impl<'s> Linter<'s> {
    fn types(&self, identity: &Identity) -> Option<Types<'s>> {
        let [upstream, spec] =
            self.schemas.each_ref().map(|schema| schema.type_of(&identity.api_version, &identity.kind));
        Some(Types { upstream: upstream?, spec: spec? })
    }

    /// The findings in the objects of one text.
    fn manifests(&self, manifests: &[Manifest<'_>]) -> Result<Vec<Notice>> {
        let mut findings = Findings::default();
        for beside in manifests.chunk_by(Manifest::is_beside) {
            let mut objects = Vec::new();
            for (manifest, root) in beside.iter().zip(roots(beside)) {
                let types = self.types(&manifest.identity).unwrap_or_else(|| self.untyped());
                self.manifest(manifest, types, &mut findings)?;
                objects.push((root, types.spec));
            }
            trap::traps(beside[0].source, &beside[0].document, &objects, &mut findings);
        }
        Ok(findings.finish())
    }

    fn manifest(&self, manifest: &Manifest<'_>, types: Types<'_>, findings: &mut Findings) -> Result<()> {
        let value = manifest.value()?;
        let arena = Arena::new();
        let (source, document) = (manifest.source, &manifest.document);
        let mut walk = Walk { source, document, role: Role::Manifest, arena: &arena, findings };
        let items = Path::ROOT.field("items".into());
        match manifest.part {
            Part::Whole => walk.map(types, value.node(), &Path::ROOT),
            Part::Item(at) => walk.map(types, value.node(), &items.index(at)),
        }
        Ok(())
    }

    fn untyped(&self) -> Types<'s> {
        let [upstream, spec] = self.schemas.each_ref().map(Schema::untyped);
        Types { upstream, spec }
    }

    /// The findings in patches, each with the object it is for, where that is known.
    fn patches(&self, patches: &[LoadedPatch<'_>], manifests: &[Manifest<'_>]) -> Result<Vec<Notice>> {
        let index = Index::new(manifests, &Filter::default());
        let mut findings = Vec::new();
        for patch in patches {
            let targets = match index.targets(patch, &Selection::default()) {
                Ok(found) => found.iter().map(|at| Some(&manifests[*at])).collect(),
                Err(Failure::Error(notice)) if !manifests.is_empty() => {
                    findings.push(no_target(*notice));
                    vec![None]
                }
                Err(_) => vec![None],
            };
            let mut known = HashSet::new();
            for target in targets {
                let found = self.patch(patch, target)?;
                findings.extend(
                    found.into_iter().filter(|one| known.insert((place_and_code(one), one.title.clone()))),
                );
            }
        }
        Ok(findings)
    }

    fn patch(&self, patch: &LoadedPatch<'_>, target: Option<&Manifest<'_>>) -> Result<Vec<Notice>> {
        let identity = target.map(|target| &target.identity).or(patch.names.as_ref());
        let types = identity.and_then(|identity| self.types(identity)).unwrap_or_else(|| self.untyped());
        if patch.patch_type != PatchType::Strategic {
            return merge::without_schema(patch, target, types);
        }
        let body = patch.value()?;
        let mut findings = Findings::default();
        if types.upstream.is_custom_resource() {
            let title = "a strategic patch of a custom resource".to_owned();
            findings.add(Rule::CustomResource.notice(title), || patch.excerpt("kind"));
        }
        walk_patch(types, patch, &body, &mut findings);
        let roots = [(patch.document.root(), types.spec)];
        trap::traps(patch.source, &patch.document, &roots, &mut findings);
        let mut findings = findings.finish();
        if types.upstream.is_custom_resource() {
            // Nothing is replaced: the patch is refused.
            findings.retain(|one| one.code != Some(Rule::ReplacedList.code()));
        }
        let tried = match target {
            _ if types.upstream.is_custom_resource() || types.upstream.is_untyped() => Vec::new(),
            Some(target) => merge::on_object(types, &target.value()?, patch, &body),
            None => merge::on_itself(types, patch, &body),
        };
        let known: Vec<(usize, &str)> = findings.iter().map(place_and_code).collect();
        let is_new = |one: &Notice| {
            let (place, code) = place_and_code(one);
            let repeats = code == MergeErrorKind::InvalidPatchDirective.name()
                && known.iter().any(|(_, code)| *code == Rule::UnknownDirective.code());
            !repeats && known.iter().all(|(other, _)| *other != place)
        };
        let tried: Vec<Notice> = tried.into_iter().filter(is_new).collect();
        findings.extend(tried);
        Ok(findings)
    }
}

/// Where a finding is, and its code; two findings at one place are about the same thing.
fn place_and_code(notice: &Notice) -> (usize, &'static str) {
    let place = notice.excerpts.first().map_or(usize::MAX, |excerpt| excerpt.position().offset);
    (place, notice.code.unwrap_or_default())
}

/// A patch without an object is no error here: it is checked alone.
fn no_target(notice: Notice) -> Notice {
    let help = Some("the patch was checked alone; give the file of its object with -f".to_owned());
    Notice { code: Some(Rule::NoTarget.code()), severity: Severity::Warning, help, ..notice }
}

fn walk_patch(types: Types<'_>, patch: &LoadedPatch<'_>, body: &Document<'_>, findings: &mut Findings) {
    let arena = Arena::new();
    let (source, document) = (patch.source, &patch.document);
    let mut walk = Walk { source, document, role: Role::Patch, arena: &arena, findings };
    walk.map(types, body.node(), &Path::ROOT);
}
