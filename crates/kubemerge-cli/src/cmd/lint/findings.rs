//! Findings of a text as notices, and the codes of those that the command finds itself.

use kubemerge_inspect::{Finding, is_ignored};

use crate::input::Source;
use crate::render::finding_notice;
use crate::report::Notice;

pub(super) const BROKEN_DEFINITION: &str = "broken-definition";
pub(super) const BROKEN_YAML: &str = "broken-yaml";
pub(super) const MISSING_FILE: &str = "missing-file";
pub(super) const NO_SCHEMA: &str = "no-schema";
pub(super) const NO_TARGET: &str = "no-target";
pub(super) const REPEATED_OBJECT: &str = "repeated-object";
pub(super) const UNREADABLE: &str = "unreadable";

/// The findings that no comment hides, as notices.
pub(super) fn shown(source: &Source, findings: Vec<Finding>) -> Vec<Notice> {
    let wanted = findings.into_iter().filter(|finding| !is_ignored(source.text(), finding));
    wanted.map(|finding| finding_notice(source, finding)).collect()
}
