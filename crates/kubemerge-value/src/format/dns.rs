//! Names of the domain name system.

use super::{Problems, is_word, max_bytes, max_len, regex_error};

const MAX_LABEL: usize = 63;
const MAX_SUBDOMAIN: usize = 253;
const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_WITH_UNDERSCORE: &str =
    r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const LABEL_1035: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";

fn is_lower(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9')
}

fn is_lower_or_dash(byte: u8) -> bool {
    is_lower(byte) || byte == b'-'
}

/// Whether a text has the characters of a label; its length is not looked at.
pub fn is_dns1123_label(text: &str) -> bool {
    is_word(text, is_lower, is_lower_or_dash)
}

/// Whether a text has the characters of a subdomain; its length is not looked at.
pub fn is_dns1123_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns1123_label)
}

/// `my-name`
pub fn dns1123_label(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_LABEL {
        problems.push(max_len(MAX_LABEL));
    }
    if !is_dns1123_label(text) {
        problems.push(if is_dns1123_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            let message = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                 and must start and end with an alphanumeric character";
            regex_error(message, LABEL, &["my-name", "123-abc"])
        });
    }
    problems
}

/// `my-name`, in the words of declarative validation.
pub fn short_name(text: &str) -> Problems {
    in_bytes(dns1123_label(text), MAX_LABEL)
}

/// `example.com`, in the words of declarative validation.
pub fn long_name(text: &str) -> Problems {
    in_bytes(dns1123_subdomain(text), MAX_SUBDOMAIN)
}

/// Declarative validation counts bytes where hand-written rules say characters.
fn in_bytes(mut problems: Problems, max: usize) -> Problems {
    for problem in problems.iter_mut().filter(|problem| **problem == max_len(max)) {
        *problem = max_bytes(max);
    }
    problems
}

/// `example.com`
pub fn dns1123_subdomain(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_SUBDOMAIN {
        problems.push(max_len(MAX_SUBDOMAIN));
    }
    if !is_dns1123_subdomain(text) {
        let message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
             '.', and must start and end with an alphanumeric character";
        problems.push(regex_error(message, SUBDOMAIN, &["example.com"]));
    }
    problems
}

/// `Example.com`: a subdomain in any case of letters.
pub fn dns1123_subdomain_caseless(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_SUBDOMAIN {
        problems.push(max_len(MAX_SUBDOMAIN));
    }
    if !is_dns1123_subdomain(&text.to_lowercase()) {
        let message = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and \
             end with an alphanumeric character";
        problems.push(regex_error(message, SUBDOMAIN, &["Example.com"]));
    }
    problems
}

/// `_sip.example.com`
pub fn dns1123_subdomain_with_underscore(text: &str) -> Problems {
    let is_label = |label: &str| {
        let rest = label.strip_prefix('_').unwrap_or(label);
        is_word(rest, is_lower, |byte| is_lower_or_dash(byte) || byte == b'_')
    };
    let mut problems = Problems::new();
    if text.len() > MAX_SUBDOMAIN {
        problems.push(max_len(MAX_SUBDOMAIN));
    }
    if !text.split('.').all(is_label) {
        let message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' \
             or '.', and must start and end with an alphanumeric character";
        problems.push(regex_error(message, SUBDOMAIN_WITH_UNDERSCORE, &["example.com"]));
    }
    problems
}

/// `abc-123`
pub fn dns1035_label(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_LABEL {
        problems.push(max_len(MAX_LABEL));
    }
    let starts_with_letter = text.starts_with(|first: char| first.is_ascii_lowercase());
    if !starts_with_letter || !is_dns1123_label(text) {
        let message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
             alphabetic character, and end with an alphanumeric character";
        problems.push(regex_error(message, LABEL_1035, &["my-name", "abc-123"]));
    }
    problems
}

/// `*.example.com`
pub fn wildcard_dns1123_subdomain(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > MAX_SUBDOMAIN {
        problems.push(max_len(MAX_SUBDOMAIN));
    }
    if !text.strip_prefix("*.").is_some_and(is_dns1123_subdomain) {
        let message = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which \
             must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
        problems.push(regex_error(message, &format!(r"\*\.{SUBDOMAIN}"), &["*.example.com"]));
    }
    problems
}
