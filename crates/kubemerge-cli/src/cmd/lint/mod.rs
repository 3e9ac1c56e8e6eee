//! `kubemerge lint`: finds what bites people in manifests and patches.
//!
//! `walk` looks at a document beside its schema, `trap` at how YAML was read, `merge` tries a patch on the
//! object it is for, and `findings` collects what they find. `rule` holds the codes, the reasons and the cures.

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
use serde::Serialize;

use crate::args::{Format, SchemaOptions};
use crate::each_file::each_file;
use crate::failure::{Failure, Outcome, Result};
use crate::input::{Origin, Recurse, Source, find, read, read_all, without};
use crate::job::{self, Asked, Identity, LoadedPatch, Manifest, Objects, Part, patch_sources, roots};
use crate::notice::{Notice, Severity};
use crate::output::Output;
use crate::render::{drawn, facts, sarif};
use findings::Findings;
use rule::Rule;
use walk::{Role, Types, Walk};

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 tells that something was found.

Examples:
  kubemerge lint -f service.yaml
  kubemerge lint -R -f manifests --patch-file patch.yaml
  kubemerge lint --patch-file patch.yaml -o sarif > findings.sarif")]
pub(crate) struct LintArgs {
    /// Manifests: files, folders, globs, or - for standard input; repeatable
    #[arg(long = "filename", short = 'f', value_name = "FILE", required_unless_present_any = ["patch", "patch_file"])]
    files: Vec<PathBuf>,
    /// Look into folders inside folders, too
    #[arg(long, short = 'R')]
    recursive: bool,
    /// A strategic merge patch, as JSON or YAML
    #[arg(long, short, value_name = "PATCH")]
    patch: Option<String>,
    /// A file with one or more strategic merge patches; repeatable
    #[arg(long, value_name = "FILE")]
    patch_file: Vec<PathBuf>,
    /// How to write the findings
    #[arg(long, short, value_enum, default_value_t)]
    output: LintFormat,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum LintFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For code hosts: SARIF 2.1.0
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
    cure: Option<&'n str>,
}

pub(crate) fn run(args: &LintArgs) -> Result {
    let patch_files = find(&args.patch_file, Recurse::No)?;
    let recurse = if args.recursive { Recurse::Yes } else { Recurse::No };
    let origins = without(find(&args.files, recurse)?, &patch_files);
    let schemas = job::load_beside(&args.schema, &origins)?.compile_both()?;
    let linter = Linter { schemas: &schemas };
    let mut findings = Vec::new();
    each_file(
        &origins,
        |origin| linter.file(origin),
        |found| {
            findings.extend(found);
            Ok(())
        },
    )?;
    let sources = patch_sources(args.patch.as_deref(), &patch_files)?;
    let patches = LoadedPatch::all(&sources, PatchType::Strategic)?;
    findings.extend(linter.patches(&patches, &origins)?);
    write(args.output, &findings)?;
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Fields and directives of a strategic patch that do not exist.
pub(crate) fn misspelt(ty: Type<'_>, patch: &LoadedPatch<'_>) -> Result<Vec<Notice>> {
    let mut findings = Findings::default();
    walk_patch(Types { upstream: ty, spec: ty }, patch, &patch.value()?, &mut findings);
    let is_slip = |notice: &Notice| {
        let slips = [Rule::UnknownField, Rule::UnknownDirective, Rule::MoreFindings];
        slips.iter().any(|rule| notice.code == Some(rule.code()))
    };
    let slips = findings.finish().into_iter().filter(is_slip);
    Ok(slips.map(|notice| Notice { severity: Severity::Warning, ..notice }).collect())
}

fn write(format: LintFormat, findings: &[Notice]) -> Result<()> {
    let mut out = Output::new();
    match format {
        LintFormat::Text => out.text(drawn(findings.iter()))?,
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
    let position = excerpt.map(crate::excerpt::Excerpt::position);
    Fact {
        file: excerpt.map_or("", |excerpt| excerpt.name()),
        line: position.map_or(0, |position| position.line),
        column: position.map_or(0, |position| position.column),
        severity: if notice.severity == Severity::Error { "error" } else { "warning" },
        code: notice.code.unwrap_or_default(),
        message: &notice.title,
        reason: notice.reason.as_deref(),
        cure: notice.cure.as_deref(),
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

    /// What is wrong in the objects of a file; that it is no YAML is a finding, too.
    fn file(&self, origin: &Origin) -> Result<Vec<Notice>> {
        match self.manifests(&read(origin)?) {
            Err(Failure::Told(notice)) => Ok(vec![notice.code(Rule::BrokenYaml.code())]),
            other => other,
        }
    }

    fn manifests(&self, source: &Source) -> Result<Vec<Notice>> {
        let mut findings = Findings::default();
        for beside in Manifest::all(source)?.chunk_by(Manifest::is_beside) {
            let mut objects = Vec::new();
            for (manifest, root) in beside.iter().zip(roots(beside)) {
                let types = self.types(&manifest.identity).unwrap_or_else(|| self.untyped());
                self.manifest(manifest, types, &mut findings)?;
                objects.push((root, types.spec));
            }
            trap::traps(source, &beside[0].document, &objects, &mut findings);
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

    /// What is wrong in patches, each beside the object it is for, where that is known.
    fn patches(&self, patches: &[LoadedPatch<'_>], origins: &[Origin]) -> Result<Vec<Notice>> {
        let texts = match patches {
            [] => Vec::new(),
            _ => read_all(origins)?,
        };
        let manifests = Manifest::all_of(&texts)?;
        let objects = Objects::new(&manifests);
        let mut findings = Vec::new();
        for patch in patches {
            let targets = match objects.of(patch, &Asked::Nothing) {
                Ok(found) => found.iter().map(|at| Some(&manifests[*at])).collect(),
                Err(Failure::Told(notice)) if !manifests.is_empty() => {
                    findings.push(no_target(*notice));
                    vec![None]
                }
                Err(_) => vec![None],
            };
            let mut known = HashSet::new();
            for target in targets {
                let found = self.patch(patch, target)?;
                findings.extend(found.into_iter().filter(|one| known.insert((told(one), one.title.clone()))));
            }
        }
        Ok(findings)
    }

    fn patch(&self, patch: &LoadedPatch<'_>, target: Option<&Manifest<'_>>) -> Result<Vec<Notice>> {
        let identity = target.map(|target| &target.identity).or(patch.names.as_ref());
        let types = identity.and_then(|identity| self.types(identity)).unwrap_or_else(|| self.untyped());
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
        let known: Vec<(usize, &str)> = findings.iter().map(told).collect();
        let is_new = |one: &Notice| {
            let (place, code) = told(one);
            let repeats = code == MergeErrorKind::InvalidPatchDirective.name()
                && known.iter().any(|(_, code)| *code == Rule::UnknownDirective.code());
            !repeats && known.iter().all(|(other, _)| *other != place)
        };
        let tried: Vec<Notice> = tried.into_iter().filter(is_new).collect();
        findings.extend(tried);
        Ok(findings)
    }
}

/// Where a finding is, and its code; two at one place would tell the same.
fn told(notice: &Notice) -> (usize, &'static str) {
    let place = notice.excerpts.first().map_or(usize::MAX, |excerpt| excerpt.position().offset);
    (place, notice.code.unwrap_or_default())
}

/// That a patch does not find its object is no error here: it is looked at alone.
fn no_target(notice: Notice) -> Notice {
    let cure = Some("the patch was looked at alone; give the file of its object with -f".to_owned());
    Notice { code: Some(Rule::NoTarget.code()), severity: Severity::Warning, cure, ..notice }
}

fn walk_patch(types: Types<'_>, patch: &LoadedPatch<'_>, body: &Document<'_>, findings: &mut Findings) {
    let arena = Arena::new();
    let (source, document) = (patch.source, &patch.document);
    let mut walk = Walk { source, document, role: Role::Patch, arena: &arena, findings };
    walk.map(types, body.node(), &Path::ROOT);
}
