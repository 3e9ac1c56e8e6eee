//! The patches between two or three states of many objects.

use kubemerge::Patch;

use super::Maker;
use crate::cmd::named::{BY_NAME, check_type, named, renamed};
use crate::failure::{Outcome, Result};
use crate::job::{Manifest, lonely, only_in, twins};
use crate::notice::Notice;

/// The patches of all objects that differ, and whether there is any difference. Warns of differences that no
/// patch can make good.
pub(super) fn patches(
    maker: &Maker,
    old: &[Manifest<'_>],
    new: &[Manifest<'_>],
    current: Option<&[Manifest<'_>]>,
) -> Result<(Vec<Vec<u8>>, Outcome)> {
    check_type(maker.target)?;
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
                patches.extend(named(&patch, &patched.identity));
                warnings.extend(kept_names(&patch, patched, new));
            }
        }
    }
    warnings.iter().for_each(Notice::say);
    let same = patches.is_empty() && warnings.is_empty();
    Ok((patches, if same { Outcome::Done } else { Outcome::Found }))
}

/// A warning of what differs, but stays as it is because the patch finds its object by it.
fn kept_names(patch: &Patch<'_>, patched: &Manifest<'_>, new: &Manifest<'_>) -> Option<Notice> {
    let kept = renamed(patch);
    let title = format!("{} differs from {} in {}", patched.title(), new.source.name, kept.join(" and "));
    (!kept.is_empty()).then(|| Notice::warning(title).reason(BY_NAME))
}
