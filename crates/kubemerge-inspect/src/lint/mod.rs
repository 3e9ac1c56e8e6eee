//! Finds common mistakes in manifests and patches.
//!
//! `api` checks versions and kinds, `invalid` asks the rules of the API server, `converge` finds what server-side
//! apply never finishes, `walk` compares a document with its schema, `json_patch` the operations of a JSON patch,
//! `kustomization` has kustomizations and their patches, `trap` checks how YAML was read, `merge` tries a patch on
//! the object it is for, and `collect` limits the findings. `rule` has all rules, `ignore` the comments that switch
//! them off.

mod api;
mod collect;
mod converge;
mod ignore;
mod invalid;
mod json_patch;
mod kustomization;
mod merge;
mod rule;
mod subject;
mod trap;
mod unions;
mod walk;

pub use ignore::is_ignored;
pub use kustomization::{KustomizeOutcome, KustomizeRules, KustomizeTrial};
pub use rule::{RULES, Rule};
pub use subject::{LintObject, LintPatch};

use std::collections::HashSet;

use kubemerge::{Patch, PatchType};
use kubemerge_schema::{KindOf, Schema, StrategicPatch, Type};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Arena, Node, Path};
use kubemerge_yaml::{Place, YamlDocument};

use crate::finding::{Finding, FindingSeverity, Location};
use collect::{Draft, Findings};
use walk::{LintWalk, Role, Types};

/// Finds mistakes, given the schema in both dialects.
#[derive(Clone, Copy)]
pub struct Linter<'s> {
    upstream: &'s Schema,
    spec: &'s Schema,
    /// The minor version of Kubernetes.
    minor: u32,
}

impl<'s> Linter<'s> {
    /// A linter for a minor version of Kubernetes, such as 37.
    #[must_use]
    pub fn new(upstream: &'s Schema, spec: &'s Schema, minor: u32) -> Linter<'s> {
        Linter { upstream, spec, minor }
    }

    /// Whether the schema has the kind: only then the fields of an object are checked.
    #[must_use]
    pub fn has_schema(&self, api_version: &str, kind: &str) -> bool {
        self.types(api_version, kind).is_some()
    }

    /// Whether the schema declares unions for the kind, which the dialect `upstream` ignores as Kubernetes does.
    #[must_use]
    pub fn ignores_unions(&self, api_version: &str, kind: &str) -> bool {
        self.types(api_version, kind).is_some_and(|types| unions::has_unions(types.upstream))
    }

    /// Whether a kind without a schema may be a custom resource.
    #[must_use]
    pub fn may_be_custom(&self, api_version: &str) -> bool {
        !api::is_builtin_group(self.spec, api_version)
    }

    /// The apiVersion of a kind of which only some parts are known: the one that is used now, if there are several.
    #[must_use]
    pub fn api_version_of(&self, group: &str, version: &str, kind: &str) -> Option<String> {
        let agrees = |wanted: &str, given: &str| wanted.is_empty() || wanted == given;
        let kinds = self.spec.kinds();
        let fits =
            |one: &&KindOf<'_>| one.kind == kind && agrees(group, one.group) && agrees(version, one.version);
        // `v1` is shorter than its betas.
        let versions = kinds.iter().filter(fits).map(|one| (one.version.len(), one.api_version()));
        versions.min().map(|(_, version)| version)
    }

    fn types(&self, api_version: &str, kind: &str) -> Option<Types<'s>> {
        let upstream = self.upstream.type_of(api_version, kind)?;
        Some(Types { upstream, spec: self.spec.type_of(api_version, kind)? })
    }

    fn untyped(&self) -> Types<'s> {
        Types { upstream: self.upstream.untyped(), spec: self.spec.untyped() }
    }

    /// The findings in the documents of one text, each with its objects.
    #[must_use]
    pub fn objects(&self, documents: &[(&YamlDocument<'_>, Vec<LintObject<'_>>)]) -> Vec<Finding> {
        let mut findings = Findings::default();
        for (document, objects) in documents {
            self.document(document, objects, &mut findings);
        }
        findings.finish()
    }

    fn document(&self, document: &YamlDocument<'_>, objects: &[LintObject<'_>], findings: &mut Findings) {
        let mut roots = Vec::new();
        for object in objects {
            api::check(self.spec, self.minor, document, object, findings);
            converge::check(document, object, findings);
            // Unknown kinds are walked without types: directives and traps are found all the same.
            let types = self.types(object.api_version, object.kind).unwrap_or_else(|| self.untyped());
            walk_object(types, document, object, findings);
            roots.push((root(document, object.item), types.spec));
        }
        trap::traps(document, &roots, findings);
        // The API server checks the rest only if types are right, and so does this.
        for object in objects {
            invalid::check(self.upstream, document, object, findings);
            if let Some(types) = self.types(object.api_version, object.kind) {
                unions::check(types.spec, document, object, findings);
            }
        }
    }

    /// The findings in a patch, tried on a live object if there is one.
    pub fn patch(&self, patch: &LintPatch<'_>, live: Option<Node<'_>>) -> Vec<Finding> {
        self.in_patch(patch, live).into_iter().map(not_strict).collect()
    }

    fn in_patch(&self, patch: &LintPatch<'_>, live: Option<Node<'_>>) -> Vec<Finding> {
        let types = self.types(patch.api_version, patch.kind).unwrap_or_else(|| self.untyped());
        if patch.patch.patch_type() != PatchType::Strategic {
            return Linter::by_rfc(types, patch, live);
        }
        let mut findings = Findings::default();
        if types.upstream.strategic_patch() == StrategicPatch::Refused {
            let draft = Draft::new(rule::CUSTOM_RESOURCE, "a strategic patch of a custom resource");
            findings.add(draft, || Location::of(patch.document, "kind"));
        }
        walk_patch(types, patch.document, patch.patch, &mut findings);
        trap::traps(patch.document, &[(patch.document.root(), types.spec)], &mut findings);
        let mut findings = findings.finish();
        if types.upstream.strategic_patch() == StrategicPatch::Refused {
            // Nothing is replaced: the patch is refused.
            findings.retain(|one| one.rule != rule::REPLACED_LIST.code);
        }
        let tried = match live {
            _ if types.upstream.strategic_patch() == StrategicPatch::Refused
                || types.upstream.is_untyped() =>
            {
                Vec::new()
            }
            Some(live) => merge::on_object(types, live, patch),
            None => merge::on_itself(types, patch),
        };
        with_trial(findings, tried)
    }

    /// The findings in a merge patch or a JSON patch.
    fn by_rfc(types: Types<'_>, patch: &LintPatch<'_>, live: Option<Node<'_>>) -> Vec<Finding> {
        let mut findings = Findings::default();
        walk_patch(types, patch.document, patch.patch, &mut findings);
        // Values of a JSON patch are not where the schema has their fields.
        if patch.patch.patch_type() == PatchType::Merge {
            trap::traps(patch.document, &[(patch.document.root(), types.spec)], &mut findings);
        }
        with_trial(findings.finish(), live.map_or(Vec::new(), |live| merge::by_rfc(types, live, patch)))
    }

    /// Fields and directives of a patch that do not exist, as warnings.
    pub fn unknown_names(ty: Type<'_>, document: &YamlDocument<'_>, patch: &Patch<'_>) -> Vec<Finding> {
        let mut findings = Findings::default();
        walk_patch(Types { upstream: ty, spec: ty }, document, patch, &mut findings);
        let found = only(&[rule::UNKNOWN_FIELD, rule::UNKNOWN_DIRECTIVE], findings).map(not_strict);
        found.map(|finding| Finding { severity: FindingSeverity::Warning, ..finding }).collect()
    }

    /// Items of an object that have the keys of an item before them: a merge by these keys takes them for one.
    #[must_use]
    pub fn repeated_items(
        ty: Type<'_>,
        document: &YamlDocument<'_>,
        object: &LintObject<'_>,
    ) -> Vec<Finding> {
        let mut findings = Findings::default();
        walk_object(Types { upstream: ty, spec: ty }, document, object, &mut findings);
        only(&[rule::DUPLICATE_ITEM], findings).collect()
    }

    /// Items of a strategic patch that have the keys of an item before them.
    #[must_use]
    pub fn repeated_items_of_patch(
        ty: Type<'_>,
        document: &YamlDocument<'_>,
        patch: &Patch<'_>,
    ) -> Vec<Finding> {
        let mut findings = Findings::default();
        walk_patch(Types { upstream: ty, spec: ty }, document, patch, &mut findings);
        only(&[rule::DUPLICATE_ITEM], findings).collect()
    }
}

/// The place of an object in its document.
fn root<'d, 't>(document: &'d YamlDocument<'t>, item: Option<usize>) -> Place<'d, 't> {
    let Some(at) = item else { return document.root() };
    let items = document.locate_nearest("items").value;
    // An alias is followed, so that traps are found where the text is.
    let place = items.elements().nth(at).unwrap_or(items);
    place.alias_target().unwrap_or(place)
}

/// The findings of a walk through a patch, and those of a trial merge that are new.
fn with_trial(mut findings: Vec<Finding>, tried: Vec<Finding>) -> Vec<Finding> {
    // The walk has better places and words than the merge error.
    let new: Vec<Finding> = tried.into_iter().filter(|one| !repeats(one, &findings)).collect();
    findings.extend(new);
    findings
}

/// An unknown field of a patch: `kubectl patch` does not ask for strict validation.
fn not_strict(finding: Finding) -> Finding {
    if finding.rule != rule::UNKNOWN_FIELD.code {
        return finding;
    }
    let reason = Some("the API server drops it, or refuses a patch below it".to_owned());
    Finding { severity: FindingSeverity::Warning, reason, ..finding }
}

/// Whether the trial only confirms what was found before: at the same place, or about the same directive.
fn repeats(one: &Finding, known: &[Finding]) -> bool {
    let is_directive = one.rule == MergeErrorKind::InvalidPatchDirective.name()
        && known.iter().any(|other| other.rule == rule::UNKNOWN_DIRECTIVE.code);
    is_directive || known.iter().any(|other| other.location.range.start == one.location.range.start)
}

/// The findings of some rules, and whether there were too many to know.
fn only(rules: &[Rule], findings: Findings) -> impl Iterator<Item = Finding> {
    let wanted: HashSet<&str> = rules.iter().chain([&rule::MORE_FINDINGS]).map(|rule| rule.code).collect();
    findings.finish().into_iter().filter(move |finding| wanted.contains(finding.rule))
}

fn walk_object(
    types: Types<'_>,
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    findings: &mut Findings,
) {
    let arena = Arena::new();
    let mut walk = LintWalk { document, role: Role::Manifest, arena: &arena, findings };
    let items = Path::ROOT.field("items".into());
    match object.item {
        None => walk.map(types, object.value, &Path::ROOT),
        Some(at) => walk.map(types, object.value, &items.index(at)),
    }
}

fn walk_patch(types: Types<'_>, document: &YamlDocument<'_>, patch: &Patch<'_>, findings: &mut Findings) {
    let role = match patch.patch_type() {
        PatchType::Strategic => Role::Patch,
        PatchType::Merge => Role::MergePatch,
        PatchType::Json => return json_patch::walk(types.spec, document, patch.node(), findings),
        _ => Role::Manifest,
    };
    let arena = Arena::new();
    LintWalk { document, role, arena: &arena, findings }.map(types, patch.node(), &Path::ROOT);
}
