//! Words that names of operations and tags are composed of.

/// A group without its domain, its parts in one word: `rbacAuthorization`; `core` for the core group.
pub(super) fn group_words(group: &str) -> String {
    if group.is_empty() {
        return "core".to_string();
    }
    let name = group.strip_suffix(".k8s.io").unwrap_or(group);
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |words, part| words + &capital(part))
}

/// The word with a capital first letter.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
