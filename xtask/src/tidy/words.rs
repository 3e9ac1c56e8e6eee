//! Names that have a plain replacement.

use super::complaint::Complaint;
use super::repository::{Repository, TextFile};
use super::rust::lexer::tokens;

/// Words that no part of a name is, and what to write instead.
const REPLACEMENTS: [(&str, &str); 8] = [
    ("ledger", "transaction"),
    ("rehearsed", "dry run"),
    ("newcomer", "new dependent"),
    ("patience", "timeout"),
    ("farewell", "shutdown grace"),
    ("absurd", "a limit: MAX_…"),
    ("junctor", "logical operator"),
    ("most", "MAX_…"),
];

/// Complains about every line with such a name.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    repository.rust_files().flat_map(names).collect()
}

fn names(file: &TextFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for token in tokens(&file.text) {
        let Some(name) = token.word() else { continue };
        if let Some(instead) = replacement(name) {
            complaints.push(Complaint::on_line(&file.path, token.line, format!("`{name}`: write {instead}")));
        }
    }
    complaints
}

fn replacement(name: &str) -> Option<&'static str> {
    let parts = parts(name);
    let is_constant = name.chars().all(|c| !c.is_lowercase());
    let found = REPLACEMENTS.iter().find(|(word, _)| {
        let has = parts.iter().any(|part| part == word || part.strip_suffix('s') == Some(*word));
        // `most` is an ordinary word except as the name of a limit.
        if *word == "most" { is_constant && parts.last().is_some_and(|part| part == word) } else { has }
    });
    found.map(|(_, instead)| *instead)
}

/// The words of a name in snake, camel or screaming case, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c != '_') {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_words() {
        for name in ["Ledger", "the_ledger", "READ_PATIENCE", "check_junctors", "BODY_MOST"] {
            assert!(replacement(name).is_some(), "{name}");
        }
        for name in ["at_most", "ledgering", "Most", "utmost", "patient"] {
            assert!(replacement(name).is_none(), "{name}");
        }
    }
}
