//! Keys and values of labels, annotations and config maps.

use super::{Problems, dns1123_subdomain, is_word, max_bytes, max_len, regex_error};

const MAX_NAME: usize = 63;
const NAME: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
     an alphanumeric character";

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn is_name(text: &str) -> bool {
    is_word(text, is_alphanumeric, is_name_byte)
}

/// The key of a label: a name, or a DNS subdomain, `/` and a name.
pub fn qualified_name(text: &str) -> Problems {
    let mut problems = Problems::new();
    // A third part is enough to know that there are too many.
    let mut parts = text.splitn(3, '/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                let wrong = dns1123_subdomain(prefix);
                problems.extend(wrong.into_iter().map(|problem| format!("prefix part {problem}")));
            }
            name
        }
        _ => {
            let shape = regex_error(NAME_MESSAGE, NAME, &["MyName", "my.name", "123-abc"]);
            return vec![format!(
                "a valid label key {shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_NAME {
        problems.push(format!("name part {}", max_bytes(MAX_NAME)));
    }
    if !is_name(name) {
        let shape = regex_error(NAME_MESSAGE, NAME, &["MyName", "my.name", "123-abc"]);
        problems.push(format!("name part {shape}"));
    }
    problems
}

/// The value of a label.
pub fn label_value(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_NAME {
        problems.push(max_bytes(MAX_NAME));
    }
    if !text.is_empty() && !is_name(text) {
        let message =
            format!("a valid label must be an empty string or {}", NAME_MESSAGE.trim_start_matches("must "));
        let regex = format!("({NAME})?");
        problems.push(regex_error(&message, &regex, &["MyValue", "my_value", "12345"]));
    }
    problems
}

/// A key of the data of a ConfigMap or Secret.
pub fn config_map_key(text: &str) -> Problems {
    const MAX_KEY: usize = 253;
    let mut problems = Problems::new();
    if text.len() > MAX_KEY {
        problems.push(max_len(MAX_KEY));
    }
    if text.is_empty() || !text.bytes().all(is_name_byte) {
        let message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        problems.push(regex_error(message, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]));
    }
    // Keys become names of files in a volume.
    problems.extend(parent_folder(text));
    problems
}

/// Names that would lead out of a folder.
pub(super) fn parent_folder(text: &str) -> Option<String> {
    match text {
        "." => Some("must not be '.'".to_owned()),
        ".." => Some("must not be '..'".to_owned()),
        _ if text.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    }
}
