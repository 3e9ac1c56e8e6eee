//! Refusals of admission plugins.

use kubemerge_kinds::tree::Map;

use crate::{
    protocol::status::{Failure, forbidden},
    write::request::Write,
};

/// How many characters a generated name has after its base.
const SUFFIX_BYTES: usize = 5;

/// 403 for an object, with the reason of the plugin.
pub(super) fn refuse(write: Write<'_>, object: &Map<'_>, why: &str) -> Failure {
    let text = |field| object.map("metadata").map_or("", |metadata| metadata.str(field));
    let (name, base) = (text("name"), text("generateName"));
    // Upstream: plugins run before the name is generated and see only the base of it.
    let is_generated = !base.is_empty() && name.len() == base.len() + SUFFIX_BYTES && name.starts_with(base);
    forbidden(write.call.resource.qualified(), if is_generated { base } else { name }, why)
}
