//! The same object twice in one text. Folders of several texts may hold the objects of several clusters.

use std::collections::HashMap;

use super::findings::REPEATED_OBJECT;
use crate::load::Manifest;
use crate::report::Notice;

/// A finding for each object that its text has before.
pub(super) fn objects(manifests: &[Manifest<'_>]) -> Vec<Notice> {
    let texts = manifests.chunk_by(|one, other| std::ptr::eq(one.source, other.source));
    texts.flat_map(in_text).collect()
}

fn in_text(manifests: &[Manifest<'_>]) -> Vec<Notice> {
    let mut first = HashMap::new();
    let mut notices = Vec::new();
    // An object without a name gets one of its own from the server.
    for manifest in manifests.iter().filter(|manifest| !manifest.identity.name.is_empty()) {
        let other = *first.entry(manifest.identity.key()).or_insert(manifest);
        if !std::ptr::eq(other, manifest) {
            notices.push(repeated(manifest, other));
        }
    }
    notices
}

fn repeated(manifest: &Manifest<'_>, first: &Manifest<'_>) -> Notice {
    Notice::warning(format!("{} is there twice", manifest.identity))
        .code(REPEATED_OBJECT)
        .at(manifest.excerpt("metadata.name", ""))
        .at(first.excerpt("metadata.name", "first here"))
        .reason("kubectl applies one after the other, and the last one remains")
        .help("remove one of them, or give it another name")
}
