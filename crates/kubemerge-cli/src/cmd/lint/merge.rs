//! Tries a patch on the object it is for, or on itself, and finds what fails or is lost.

use kubemerge::{Guide, PatchType};
use kubemerge_strategic::{MergeError, MergeEvent, Observer, Replacement, apply, apply_observed};
use kubemerge_value::{Arena, Canonical, Document, Kind, Node, Path, deep_equal, to_canonical};

use super::findings::Findings;
use super::rule::Rule;
use super::trap;
use super::walk::Types;
use crate::compare::{Loss, differences};
use crate::job::{LoadedPatch, Manifest, node_at, path_in_patch};
use crate::report::{Notice, Result, Severity};

/// Findings of a trial merge into a live object.
pub(super) fn on_object(
    types: Types<'_>,
    live: &Document<'_>,
    patch: &LoadedPatch<'_>,
    body: &Document<'_>,
) -> Vec<Notice> {
    let arena = Arena::new();
    let (live, body) = (live.node(), body.node());
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
            findings.add(Rule::ReplacedList.notice(title), || patch.excerpt(&list.patch_path));
        }
    }
    let Ok(spec) = apply(types.spec, live, body, &arena) else { return findings.finish() };
    for difference in differences(types.spec, live, upstream, spec, &arena) {
        if difference.loss == Loss::Yes {
            let title = format!("{}: {}", difference.path, difference.words);
            findings.add(Rule::LostItem.notice(title), || patch.excerpt(&place(&difference.path)));
        }
    }
    findings.finish()
}

/// Findings of a patch alone: merged into itself, every field is checked.
pub(super) fn on_itself(types: Types<'_>, patch: &LoadedPatch<'_>, body: &Document<'_>) -> Vec<Notice> {
    let arena = Arena::new();
    match apply(types.upstream, body.node(), body.node(), &arena) {
        Ok(_) => Vec::new(),
        Err(error) => vec![refused(patch, &error)],
    }
}

/// Findings of a merge patch or a JSON patch: YAML traps, and whether it applies at all.
pub(super) fn without_schema(
    patch: &LoadedPatch<'_>,
    target: Option<&Manifest<'_>>,
    types: Types<'_>,
) -> Result<Vec<Notice>> {
    let mut findings = Findings::default();
    // Values of a JSON patch are not where the schema has their fields.
    if patch.patch_type == PatchType::Merge {
        let roots = [(patch.document.root(), types.spec)];
        trap::traps(patch.source, &patch.document, &roots, &mut findings);
    }
    let Some(target) = target else { return Ok(findings.finish()) };
    if let Err(error) = kubemerge::apply(Guide::None, &target.json, &patch.patch()?) {
        let notice = Notice::new(Severity::Error, error.message()).code(error.kind().name());
        let notice = notice.reason("Kubernetes refuses the patch").hint(error.hint());
        findings.add(notice, || patch.excerpt(error.path()));
    }
    Ok(findings.finish())
}

fn refused(patch: &LoadedPatch<'_>, error: &MergeError) -> Notice {
    let notice = Notice::new(Severity::Error, error.message()).code(error.kind().name());
    notice
        .at(patch.excerpt(error.patch_path().unwrap_or_default()))
        .reason("Kubernetes refuses the patch")
        .hint(error.hint())
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
        let is_kept = |entry: &&Canonical| new.iter().any(|one| deep_equal(*one, entry.node()));
        self.entries.len() - self.entries.iter().filter(is_kept).count()
    }
}
