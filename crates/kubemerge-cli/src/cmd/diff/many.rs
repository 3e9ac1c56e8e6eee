//! Patches of many objects. Each names its object, so that `kubemerge patch` and kustomize find it.

use std::collections::HashSet;

use kubemerge::{Arena, Node, Patch, Target, to_bytes};
use kubemerge_value::{Str, map};

use super::Maker;
use crate::failure::{Outcome, Result};
use crate::job::{Identity, Manifest, twins};
use crate::notice::Notice;

/// The patches of all objects that differ, and whether there is any difference.
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
    let mut lonely = only_in(old, &before);
    for (at, new) in new.iter().enumerate() {
        let live = live.as_ref().map(|(current, twins)| twins[at].map(|at| &current[at]));
        match (before[at], live) {
            (Some(_), Some(None)) | (None, _) => lonely.push(new),
            (Some(before), live) => {
                let patch = maker.patch(&old[before], new, live.flatten())?;
                patches.extend((!patch.node().is_empty()).then(|| named(&patch, &new.identity)));
            }
        }
    }
    lonely.iter().for_each(|one| warn(one));
    let same = patches.is_empty() && lonely.is_empty();
    Ok((patches, if same { Outcome::Done } else { Outcome::Found }))
}

/// The old objects that no new one is a state of.
fn only_in<'m, 's>(old: &'m [Manifest<'s>], twins: &[Option<usize>]) -> Vec<&'m Manifest<'s>> {
    let known: HashSet<usize> = twins.iter().copied().flatten().collect();
    (0..old.len()).filter(|at| !known.contains(at)).map(|at| &old[at]).collect()
}

fn warn(lonely: &Manifest<'_>) {
    let notice = Notice::warning(format!("{} is not among the other objects", lonely.title()));
    notice.reason("no patch creates or deletes an object").say();
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
