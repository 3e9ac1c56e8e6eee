//! Names of fields in expressions.

use kubemerge_cel::is_word_of_cel;

/// The name of a field in expressions; none if it has no such name.
pub(super) fn escape(name: &str) -> Option<String> {
    if is_word_of_cel(name) {
        return Some(format!("__{name}__"));
    }
    let mut bytes = name.bytes();
    let starts_well = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !starts_well
        || !bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/'))
    {
        return None;
    }
    // First, because the other replacements add such pairs.
    let escaped = name.replace("__", "__underscores__");
    Some(escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_kubernetes_escapes_them() {
        for (name, escaped) in [
            ("a_b", Some("a_b")),
            ("a__b", Some("a__underscores__b")),
            ("a-b.c/d", Some("a__dash__b__dot__c__slash__d")),
            ("namespace", Some("__namespace__")),
            ("1a", None),
            ("a b", None),
        ] {
            assert_eq!(escape(name).as_deref(), escaped, "{name}");
        }
    }
}
