//! Names of managers that the API server accepts.

pub use kubemerge_value::write::is_printable;

use crate::value::go_quoted;

/// The longest name of a manager, in bytes.
pub const MAX_MANAGER_BYTES: usize = 128;

/// What is wrong with the name of a manager that applies, in the words of the API server.
#[must_use]
pub fn manager_problems(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.is_empty() {
        problems.push("fieldManager: Required value: is required for apply patch".to_owned());
    }
    if name.len() > MAX_MANAGER_BYTES {
        problems.push(format!("fieldManager: Too long: may not be more than {MAX_MANAGER_BYTES} bytes"));
    }
    // Positions count bytes, and the first one is reported.
    if let Some((place, found)) = name.char_indices().find(|(_, one)| !is_printable(*one)) {
        problems.push(format!(
            "fieldManager: Invalid value: {}: invalid character U+{:04X} (at position {place})",
            go_quoted(name),
            u32::from(found)
        ));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_as_the_api_server_does() {
        assert!(manager_problems(&"m".repeat(128)).is_empty());
        assert_eq!(
            manager_problems(&"m".repeat(129)),
            ["fieldManager: Too long: may not be more than 128 bytes"]
        );
        assert_eq!(manager_problems(""), ["fieldManager: Required value: is required for apply patch"]);
        let unprintable = r#"fieldManager: Invalid value: "m\x01": invalid character U+0001 (at position 1)"#;
        assert_eq!(manager_problems("m\u{1}"), [unprintable]);
    }
}
