//! The patches between two or three states of many objects.

use kubemerge::Patch;

use super::Maker;
use crate::cmd::named::{BY_NAME, check_type, named, renamed};
use crate::load::{Manifest, match_objects, only_in, unmatched_warning};
use crate::report::{Notice, Outcome, Result};

/// The patches of all objects that differ, and whether there is any difference. Warns about differences that no
/// patch can remove.
pub(super) fn patches(
    maker: &Maker,
    old: &[Manifest<'_>],
    new: &[Manifest<'_>],
    current: Option<&[Manifest<'_>]>,
) -> Result<(Vec<Vec<u8>>, Outcome)> {
    check_type(maker.target)?;
    let before = match_objects(new, old)?;
    let live =
        current.map(|current| match_objects(new, current).map(|found| (current, found))).transpose()?;
    let mut patches = Vec::new();
    let mut warnings: Vec<Notice> = only_in(old, &before).map(unmatched_warning).collect();
    for (at, new) in new.iter().enumerate() {
        let live = live.as_ref().map(|(current, found)| found[at].map(|at| &current[at]));
        match (before[at], live) {
            // Without an old or a live state there is nothing to patch.
            (Some(_), Some(None)) | (None, _) => warnings.push(unmatched_warning(new)),
            (Some(before), live) => {
                let (old, live) = (&old[before], live.flatten());
                let patch = maker.patch(old, new, live)?;
                // The new state may have another version or namespace, and no object would be found by those.
                let patched = live.unwrap_or(old);
                patches.extend(named(&patch, &patched.identity));
                warnings.extend(kept_names(&patch, patched, new));
            }
        }
    }
    warnings.iter().for_each(Notice::print);
    let same = patches.is_empty() && warnings.is_empty();
    Ok((patches, if same { Outcome::Done } else { Outcome::Found }))
}

/// A warning about fields that differ but stay as they are, because the patch finds its object by them.
fn kept_names(patch: &Patch<'_>, patched: &Manifest<'_>, new: &Manifest<'_>) -> Option<Notice> {
    let kept = renamed(patch);
    let title = format!("{} differs from {} in {}", patched.title(), new.source.name, kept.join(" and "));
    (!kept.is_empty()).then(|| Notice::warning(title).reason(BY_NAME))
}
