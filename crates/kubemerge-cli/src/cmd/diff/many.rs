//! Patches of many objects. Each names its object, so that `kubemerge patch` and kustomize find it.

use std::collections::HashSet;

use kubemerge::{Arena, Node, Patch, Target, to_bytes};
use kubemerge_value::{Str, map};

use super::Maker;
use crate::failure::{Outcome, Result};
use crate::job::{Identity, Manifest, twins};
use crate::notice::Notice;

/// The patches of all objects that differ, and whether there is any difference. Warns of differences that no
/// patch can make good.
pub(super) fn patches(
    maker: &Maker,
    old: &[Manifest<'_>],
    new: &[Manifest<'_>],
    current: Option<&[Manifest<'_>]>,
) -> Result<(Vec<Vec<u8>>, Outcome)> {
    if let Target::Json(_) = maker.target {
        let notice = Notice::error("there are several objects, and a JSON patch does not name its own");
        return Err(notice.cure("give files with one object, or use another --type").into());
    }
    let before = twins(new, old)?;
    let live = current.map(|current| twins(new, current).map(|twins| (current, twins))).transpose()?;
    let mut patches = Vec::new();
    let mut warnings: Vec<Notice> = only_in(old, &before).map(lonely).collect();
    for (at, new) in new.iter().enumerate() {
        let live = live.as_ref().map(|(current, twins)| twins[at].map(|at| &current[at]));
        match (before[at], live) {
            (Some(_), Some(None)) | (None, _) => warnings.push(lonely(new)),
            (Some(before), live) => {
                let (old, live) = (&old[before], live.flatten());
                let patch = maker.patch(old, new, live)?;
                // The new state may tell another version or namespace: nothing would be found by those.
                let patched = live.unwrap_or(old);
                patches.extend((!has_only_kept(&patch)).then(|| named(&patch, &patched.identity)));
                warnings.extend(kept_names(&patch, patched, new));
            }
        }
    }
    warnings.iter().for_each(Notice::say);
    let same = patches.is_empty() && warnings.is_empty();
    Ok((patches, if same { Outcome::Done } else { Outcome::Found }))
}

/// The old objects that no new one is a state of.
fn only_in<'m, 's>(
    old: &'m [Manifest<'s>],
    twins: &[Option<usize>],
) -> impl Iterator<Item = &'m Manifest<'s>> {
    let known: HashSet<usize> = twins.iter().copied().flatten().collect();
    old.iter().enumerate().filter(move |(at, _)| !known.contains(at)).map(|(_, one)| one)
}

fn lonely(one: &Manifest<'_>) -> Notice {
    let notice = Notice::warning(format!("{} is not among the other objects", one.full_title()));
    notice.reason("no patch creates or deletes an object")
}

/// A warning of what differs, but stays as it is because the patch finds its object by it.
fn kept_names(patch: &Patch<'_>, patched: &Manifest<'_>, new: &Manifest<'_>) -> Option<Notice> {
    let metadata = patch.node().get("metadata");
    let version = patch.node().get("apiVersion").map(|_| "apiVersion");
    let namespace = metadata.and_then(|metadata| metadata.get("namespace")).map(|_| "metadata.namespace");
    let kept: Vec<&str> = [version, namespace].into_iter().flatten().collect();
    let title = format!("{} differs from {} in {}", patched.title(), new.source.name, kept.join(" and "));
    let reason = "no patch changes that: it finds its object by apiVersion, kind, namespace and name";
    (!kept.is_empty()).then(|| Notice::warning(title).reason(reason))
}

/// Whether nothing is left of the patch without what stays as it is.
fn has_only_kept(patch: &Patch<'_>) -> bool {
    let arena = Arena::new();
    let is_namespace = |metadata: Node<'_>| {
        metadata.get("namespace").is_some() && others(metadata, &["namespace"], &arena).next().is_none()
    };
    others(patch.node(), &["apiVersion", "metadata"], &arena).next().is_none()
        && patch.node().get("metadata").is_none_or(is_namespace)
}

/// The patch with the name of its object.
fn named(patch: &Patch<'_>, identity: &Identity) -> Vec<u8> {
    let arena = Arena::new();
    let text = |name: &'static str, text| (Str::plain(name), Node::string(text));
    let given = |(_, text): &(Str<'_>, Node<'_>)| !text.as_str().is_some_and(|text| text.is(""));
    let Identity { api_version, kind, namespace, name } = identity;
    let metadata = patch.node().get("metadata").unwrap_or(Node::NULL);
    let names = [text("name", name), text("namespace", namespace)].into_iter().filter(given);
    let metadata = map(names.chain(others(metadata, &["name", "namespace"], &arena)), &arena);
    let kinds = [text("apiVersion", api_version), text("kind", kind)].into_iter().filter(given);
    let whole = kinds.chain([(Str::plain("metadata"), metadata)]);
    to_bytes(map(whole.chain(others(patch.node(), &["apiVersion", "kind", "metadata"], &arena)), &arena))
}

/// The members of a map but for some.
fn others<'a>(
    node: Node<'a>,
    names: &'a [&str],
    arena: &'a Arena,
) -> impl Iterator<Item = (Str<'a>, Node<'a>)> {
    let entries = node.entries(arena).iter();
    entries.filter(|entry| !names.iter().any(|name| entry.key.is(name))).map(|entry| (entry.key, entry.value))
}
