//! Identifiers, names of environment variables, ports and HTTP headers.

use super::key::parent_folder;
use super::{Problems, max_len, regex_error};

fn is_made_of(text: &str, first: fn(u8) -> bool, rest: fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(first) && bytes.all(rest)
}

/// `MY_NAME`
pub fn c_identifier(text: &str) -> Problems {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    if is_made_of(text, is_start, |byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Problems::new();
    }
    let message = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
         alphanumeric characters or '_'";
    vec![regex_error(message, "[A-Za-z_][A-Za-z0-9_]*", &["my_name", "MY_NAME", "MyName"])]
}

/// The strict rule for names of environment variables.
pub fn env_var_name(text: &str) -> Problems {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'_');
    let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let mut problems = Problems::new();
    if !is_made_of(text, is_start, is_rest) {
        let message = "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', \
             or '.', and must not start with a digit";
        let examples = ["my.env-name", "MY_ENV.NAME", "MyEnvName1"];
        problems.push(regex_error(message, "[-._a-zA-Z][-._a-zA-Z0-9]*", &examples));
    }
    problems.extend(parent_folder(text));
    problems
}

/// The rule for names of environment variables since 1.30.
pub fn relaxed_env_var_name(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.is_empty() {
        problems.push("environment variable name must be non-empty".to_owned());
    }
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=') {
        let message = "a valid environment variable name must consist only of printable ASCII characters other \
             than '='";
        problems.push(message.to_owned());
    }
    problems
}

/// The name of a port, as IANA has them.
pub fn port_name(text: &str) -> Problems {
    const MAX_PORT_NAME: usize = 15;
    let mut problems = Problems::new();
    let mut add = |is_wrong: bool, message: &str| {
        if is_wrong {
            problems.push(message.to_owned());
        }
    };
    add(text.len() > MAX_PORT_NAME, &max_len(MAX_PORT_NAME));
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let has_other = text.is_empty() || !text.bytes().all(is_allowed);
    add(has_other, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    let has_letter = text.bytes().any(|byte| byte.is_ascii_lowercase());
    add(!has_letter, "must contain at least one letter (a-z)");
    add(text.contains("--"), "must not contain consecutive hyphens");
    add(text.starts_with('-') || text.ends_with('-'), "must not begin or end with a hyphen");
    problems
}

/// `X-Header-Name`
pub fn http_header_name(text: &str) -> Problems {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if is_made_of(text, is_allowed, is_allowed) {
        return Problems::new();
    }
    let message = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![regex_error(message, "[-A-Za-z0-9]+", &["X-Header-Name"])]
}
