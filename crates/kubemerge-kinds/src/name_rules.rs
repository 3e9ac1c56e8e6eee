//! The names Kubernetes accepts: DNS labels and subdomains, qualified names, label values, path segments.

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// Which names a kind accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectNameRule {
    /// A DNS subdomain: most kinds.
    #[default]
    Subdomain,
    /// A DNS label: Namespace.
    Label,
    /// A DNS label that starts with a letter: Service.
    Label1035,
    /// Anything that can be a segment of a path: RBAC.
    PathSegment,
}

impl ObjectNameRule {
    /// The complaint about a name, if any.
    pub fn check(self, name: &str) -> Result<(), String> {
        match self {
            ObjectNameRule::Subdomain => check_subdomain(name),
            ObjectNameRule::Label => check_label(name),
            ObjectNameRule::Label1035 => check_label_1035(name),
            ObjectNameRule::PathSegment => check_path_segment(name),
        }
    }
}

/// DNS labels (RFC 1123).
pub fn check_label(name: &str) -> Result<(), String> {
    no_longer_than(name, 63)?;
    is_label(name).then_some(()).ok_or_else(|| LABEL.to_string())
}

/// DNS subdomains (RFC 1123).
pub fn check_subdomain(name: &str) -> Result<(), String> {
    no_longer_than(name, 253)?;
    name.split('.').all(is_label).then_some(()).ok_or_else(|| SUBDOMAIN.to_string())
}

/// DNS labels that begin with a letter (RFC 1035).
pub fn check_label_1035(name: &str) -> Result<(), String> {
    no_longer_than(name, 63)?;
    let good = is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase());
    good.then_some(()).ok_or_else(|| LABEL_1035.to_string())
}

/// Names that can be a segment of a path.
pub fn check_path_segment(name: &str) -> Result<(), String> {
    if name == "." || name == ".." {
        return Err(format!("may not be '{name}'"));
    }
    match name.chars().find(|c| matches!(c, '/' | '%')) {
        Some(c) => Err(format!("may not contain '{c}'")),
        None => Ok(()),
    }
}

/// Keys of labels, annotations and finalizers: an optional DNS prefix and a name.
pub fn check_qualified(key: &str) -> Result<(), String> {
    let (prefix, name) = match key.split_once('/') {
        Some((_, rest)) if rest.contains('/') => return Err(too_many_parts()),
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        if prefix.is_empty() {
            return Err("prefix part must be non-empty".into());
        }
        check_subdomain(prefix).map_err(|why| format!("prefix part {why}"))?;
    }
    if name.is_empty() {
        return Err("name part must be non-empty".into());
    }
    no_longer_than(name, 63).map_err(|why| format!("name part {why}"))?;
    is_plain(name).then_some(()).ok_or_else(|| QUALIFIED.to_string())
}

/// What is wrong with a key that has several slashes.
fn too_many_parts() -> String {
    let rule = QUALIFIED.trim_start_matches("name part ");
    format!(
        "a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    )
}

/// Values of labels.
pub fn check_label_value(value: &str) -> Result<(), String> {
    no_longer_than(value, 63)?;
    (value.is_empty() || is_plain(value)).then_some(()).ok_or_else(|| LABEL_VALUE.to_string())
}

fn no_longer_than(text: &str, most: usize) -> Result<(), String> {
    if text.len() > most { Err(format!("must be no more than {most} bytes")) } else { Ok(()) }
}

fn is_label(name: &str) -> bool {
    let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    bounded_by(name, inner) && name.bytes().all(|b| inner(&b) || b == b'-')
}

/// Letters, digits, `-`, `_`, `.`, with a letter or digit at both ends.
fn is_plain(name: &str) -> bool {
    bounded_by(name, u8::is_ascii_alphanumeric)
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn bounded_by(name: &str, edge: impl Fn(&u8) -> bool) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(&edge) && bytes.last().is_some_and(&edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(check_subdomain("a.b-c.9").is_ok());
        for bad in ["", "A", "a_b", "-a", "a-", "a..b", "a/b", &"x".repeat(254)] {
            assert!(check_subdomain(bad).is_err(), "{bad}");
        }
        assert!(check_label("9a").is_ok() && check_label_1035("9a").is_err() && check_label("a.b").is_err());
        assert!(
            ObjectNameRule::PathSegment.check("system:node").is_ok()
                && ObjectNameRule::PathSegment.check("a/b").is_err()
        );
    }

    #[test]
    fn keys_and_values() {
        assert!(check_qualified("app.kubernetes.io/Name_1").is_ok() && check_qualified("a").is_ok());
        for bad in ["", "/a", "a/", "a/b/c", "A b", "_x", "Up.er/x"] {
            assert!(check_qualified(bad).is_err(), "{bad}");
        }
        assert!(check_label_value("").is_ok() && check_label_value("a b").is_err());
    }
}
