//! Names and phrases that have a plain replacement.

use super::complaint::Complaint;
use super::repository::{Repository, TextFile};
use super::rust::lexer::tokens;

/// Words that no part of a name is, and what to write instead.
const REPLACEMENTS: [(&str, &str); 14] = [
    ("ledger", "transaction"),
    ("rehearsed", "dry run"),
    ("newcomer", "new dependent"),
    ("patience", "timeout"),
    ("farewell", "shutdown grace"),
    ("absurd", "a limit: MAX_…"),
    ("junctor", "logical operator"),
    ("spot", "span or position"),
    ("twin", "matching object"),
    ("lonely", "unmatched"),
    ("glance", "what is read"),
    ("behind", "after"),
    ("crowded", "what does not fit"),
    ("most", "MAX_…"),
];

/// Phrases of comments and documents, in lower case, and what to write instead. Only words that have no other
/// meaning in this field are here, so that a search is enough.
const PHRASES: [(&str, &str); 8] = [
    ("nobody", "no caller, no manager, not"),
    ("somebody", "another client, a caller"),
    ("anybody", "another client, a caller"),
    ("whoever", "clients that"),
    ("becomes of", "result of, how it merges"),
    ("closer look", "full check"),
    ("mends", "fixes"),
    ("stands", "is"),
];
/// `an alias stands for a value`: the one meaning of the word that has no plainer one.
const STANDS_FOR: [&str; 2] = [" for", " in for"];

/// Complains about every line with such a name or phrase.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    // The words themselves are in this file.
    let rust = repository.rust_files().filter(|file| !file.path.ends_with("tidy/words.rs"));
    let documents = repository.files.iter().filter(|file| file.path.ends_with(".md"));
    let mut complaints: Vec<Complaint> =
        rust.flat_map(|file| names(file).into_iter().chain(phrases(file, comment))).collect();
    complaints.extend(documents.flat_map(|file| phrases(file, |line| Some(line))));
    complaints
}

/// The comment of a line of Rust.
fn comment(line: &str) -> Option<&str> {
    line.find("//").map(|at| &line[at..])
}

fn phrases(file: &TextFile, prose: fn(&str) -> Option<&str>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let Some(text) = prose(line).map(str::to_lowercase) else { continue };
        for (phrase, instead) in PHRASES.iter().filter(|(phrase, _)| has_phrase(&text, phrase)) {
            complaints.push(Complaint::on_line(&file.path, at + 1, format!("`{phrase}`: write {instead}")));
        }
    }
    complaints
}

fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_whole = !is_letter(before.chars().next_back()) && !is_letter(after.chars().next());
        is_whole && !(phrase == "stands" && STANDS_FOR.iter().any(|next| after.starts_with(next)))
    })
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

    #[test]
    fn phrases_are_found_in_prose() {
        let file = TextFile { path: "a.rs".to_owned(), text: "let nobody = 1; // Nobody asks.".to_owned() };
        assert_eq!(phrases(&file, comment).len(), 1);
        assert!(has_phrase("the key stands in the map", "stands"));
        for text in ["the value that an alias stands for", "it withstands this", "a busybody"] {
            assert!(!has_phrase(text, "stands") && !has_phrase(text, "nobody"), "{text}");
        }
    }
}
