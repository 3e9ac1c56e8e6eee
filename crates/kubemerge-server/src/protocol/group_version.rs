//! Group and version as objects write them: `v1`, `apps/v1`.

/// The apiVersion of a group and a version.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_string() } else { format!("{group}/{version}") }
}

/// The group and the version of an apiVersion; the core group is empty.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
