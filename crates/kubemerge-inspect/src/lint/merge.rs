//! Tries a patch on the object it is for, or on itself, and finds what fails or is lost.

use kubemerge::{Error, PatchType, RuleSource};
use kubemerge_strategic::{MergeError, MergeEvent, Observer, Replacement, apply, apply_observed};
use kubemerge_value::{Arena, Canonical, Kind, Node, Path, deep_equal, to_bytes, to_canonical};

use super::collect::{Draft, Findings};
use super::json_patch;
use super::rule::{INVALID_FIELD, LOST_ITEM, REPLACED_LIST};
use super::subject::LintPatch;
use super::walk::Types;
use crate::difference::{DialectResult, differences};
use crate::finding::{Finding, FindingSeverity, Location};
use crate::place::{node_at, path_in_patch};
use crate::refusal::{RefusalCause, refusal_of_update};

/// Findings of a trial merge into a live object.
pub(super) fn on_object(types: Types<'_>, live: Node<'_>, patch: &LintPatch<'_>) -> Vec<Finding> {
    let arena = Arena::new();
    let body = patch.patch.node();
    let place = |path: &str| path_in_patch(types.upstream, live, body, path, &arena);
    let mut watch = Replaced { lists: Vec::new() };
    let upstream = match apply_observed(types.upstream, live, body, &arena, &mut watch) {
        Ok(upstream) => upstream,
        Err(error) => return vec![refused(patch, &error)],
    };
    let mut findings = Findings::default();
    for list in watch.lists {
        let lost = list.lost(node_at(body, &list.patch_path, &arena), &arena);
        if lost > 0 {
            let title =
                format!("{} is replaced as a whole: live entries would be removed ({lost})", list.path);
            findings.add(Draft::new(REPLACED_LIST, title), || Location::of(patch.document, &list.patch_path));
        }
    }
    refusals(causes(types, live, upstream), patch, place, &mut findings);
    let Ok(spec) = apply(types.spec, live, body, &arena) else { return findings.finish() };
    let results = [("upstream", upstream), ("spec", spec)];
    let results = results.map(|(dialect, object)| DialectResult { dialect, object });
    for difference in differences(types.spec, live, results, &arena) {
        if difference.loses_live_data {
            let title = format!("{}: {}", difference.path, difference.words());
            findings
                .add(Draft::new(LOST_ITEM, title), || Location::of(patch.document, &place(&difference.path)));
        }
    }
    findings.finish()
}

/// Findings of a patch alone: merged into itself, every field is checked.
pub(super) fn on_itself(types: Types<'_>, patch: &LintPatch<'_>) -> Vec<Finding> {
    let arena = Arena::new();
    match apply(types.upstream, patch.patch.node(), patch.patch.node(), &arena) {
        Ok(_) => Vec::new(),
        Err(error) => vec![refused(patch, &error)],
    }
}

/// Findings of a trial of a merge patch or a JSON patch.
pub(super) fn by_rfc(types: Types<'_>, live: Node<'_>, patch: &LintPatch<'_>) -> Vec<Finding> {
    let arena = Arena::new();
    let mut findings = Findings::default();
    let place = |field: &str| match patch.patch.patch_type() {
        PatchType::Json => json_patch::operation_of(patch.patch.node(), field),
        _ => field.to_owned(),
    };
    match kubemerge::apply_node(RuleSource::None, live, patch.patch, &arena) {
        Ok(result) => refusals(causes(types, live, result), patch, place, &mut findings),
        Err(error) => return vec![refused_by_rfc(patch, &error)],
    }
    findings.finish()
}

/// Why the API server refuses the result of a patch.
fn causes(types: Types<'_>, live: Node<'_>, result: Node<'_>) -> Vec<RefusalCause> {
    refusal_of_update(types.upstream.schema(), &to_bytes(live), &to_bytes(result))
}

/// Adds why a result is refused, each at the place in the patch that the field comes from.
pub(super) fn refusals(
    causes: Vec<RefusalCause>,
    patch: &LintPatch<'_>,
    place: impl Fn(&str) -> String,
    findings: &mut Findings,
) {
    // Wrong types are found in the patch itself, at their places; what only `spec` refuses is no problem in a
    // cluster.
    for cause in causes.into_iter().filter(|cause| !cause.field.is_empty()) {
        let message = format!("{}: {}", cause.field, cause.message);
        findings
            .add(Draft::new(INVALID_FIELD, message), || Location::of(patch.document, &place(&cause.field)));
    }
}

pub(super) fn refused(patch: &LintPatch<'_>, error: &MergeError) -> Finding {
    let draft = refusal(error.kind().name(), error.message(), error.hint());
    draft.at(Location::of(patch.document, error.patch_path().unwrap_or_default()))
}

/// Why a merge patch or a JSON patch cannot be applied.
pub(super) fn refused_by_rfc(patch: &LintPatch<'_>, error: &Error) -> Finding {
    let draft = refusal(error.kind().name(), error.message(), error.hint());
    draft.at(Location::of(patch.document, error.path()))
}

fn refusal(code: &'static str, message: &str, hint: Option<&str>) -> Draft {
    Draft {
        rule: code,
        severity: FindingSeverity::Error,
        message: message.to_owned(),
        reason: Some("Kubernetes refuses the patch".to_owned()),
        help: hint.map(str::to_owned),
        related: Vec::new(),
    }
}

/// Remembers the lists of maps that a rule replaced.
struct Replaced {
    lists: Vec<ReplacedList>,
}

struct ReplacedList {
    path: String,
    patch_path: String,
    /// The live entries.
    entries: Vec<Canonical>,
}

impl Observer for Replaced {
    fn note(&mut self, path: &Path<'_>, event: MergeEvent<'_>) {
        let MergeEvent::ListReplaced { from: Some(from), cause: Replacement::Rule } = event else { return };
        let arena = Arena::new();
        let maps = from.elements(&arena).iter().filter(|entry| entry.kind() == Kind::Map);
        let entries = maps.map(|entry| to_canonical(*entry)).collect();
        let (path, patch_path) = (path.in_live().to_string(), path.to_string());
        self.lists.push(ReplacedList { path, patch_path, entries });
    }
}

impl ReplacedList {
    /// How many entries the new list does not repeat.
    fn lost<'a>(&self, new: Option<Node<'a>>, arena: &'a Arena) -> usize {
        let new = new.map_or(&[][..], |new| new.elements(arena));
        // An entry that the patch repeats is not lost.
        let is_kept = |entry: &&Canonical| new.iter().any(|one| deep_equal(*one, entry.node()));
        self.entries.len() - self.entries.iter().filter(is_kept).count()
    }
}
