//! The words of `x-kubernetes-patch-strategy`.

/// The words of a patch strategy, sorted out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strategy<'m> {
    pub(crate) retain_keys: bool,
    pub(crate) word: &'m str,
}

/// Splits a patch strategy; `None` if its words do not go together.
pub(crate) fn parse_strategy(text: &str) -> Option<Strategy<'_>> {
    let words: Vec<&str> = text.split(',').collect();
    match words.as_slice() {
        ["retainKeys"] => Some(Strategy { retain_keys: true, word: "" }),
        [word] => Some(Strategy { retain_keys: false, word }),
        ["retainKeys", word] | [word, "retainKeys"] => Some(Strategy { retain_keys: true, word }),
        _ => None,
    }
}

/// A strategy as the design document of retainKeys writes it, `merge|retainKeys`, with the commas of Kubernetes.
pub(crate) fn with_commas(text: &str) -> String {
    text.replace('|', ",")
}

/// The names in a merge key. Several are an extension of the dialect `spec`; blanks around them do not count.
pub(crate) fn merge_key_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}
