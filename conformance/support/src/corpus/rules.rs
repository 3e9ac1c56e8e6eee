//! The index of rules: every rule has a case, and every case names rules that exist.

use std::collections::BTreeSet;

use super::{CaseFile, DIALECTS, load};
use crate::{root, verdict::Verdict};

/// The index: one rule a line, its name and what it says.
const INDEX: &str = "conformance/rules.tsv";

/// What tidy has to say about the corpus.
pub fn complaints() -> Vec<String> {
    let index = std::fs::read_to_string(root().join(INDEX)).map_err(|error| format!("{INDEX}: {error}"));
    match (index, load()) {
        (Ok(index), Ok(files)) => compare(&index, &files),
        (Err(complaint), _) | (_, Err(complaint)) => vec![complaint],
    }
}

fn compare(index: &str, files: &[CaseFile]) -> Vec<String> {
    let known: BTreeSet<&str> = index.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut pinned = BTreeSet::new();
    let mut complaints = Vec::new();
    for case in files.iter().flat_map(|file| &file.cases) {
        for rule in case.rules() {
            if !known.contains(rule) {
                complaints.push(format!("{}: there is no rule `{rule}` in {INDEX}", case.place));
            }
            pinned.insert(rule.to_string());
        }
        // The kinds of errors are rules too, and every error names its kind.
        pinned.extend(DIALECTS.iter().filter_map(|dialect| error_rule(case.expected(dialect))));
    }
    let unpinned = known.iter().filter(|rule| !pinned.contains(**rule));
    complaints.extend(unpinned.map(|rule| format!("{INDEX}: no case pins the rule `{rule}`")));
    complaints
}

/// An expected error pins its kind in the catalogue.
fn error_rule(expected: Option<Verdict>) -> Option<String> {
    match expected? {
        Verdict::Error(fault) => Some(format!("7:{}", fault.kind)),
        Verdict::Result(_) => None,
    }
}
