//! Groups of the Kubernetes community need an approval, or a note that it is missing.

/// The annotation with the approval.
pub const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// What the annotation says about an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It is neither a URL nor a note.
    Invalid,
    /// It is the URL of an approval.
    Approved,
    /// It is a note that there is none, such as `unapproved, experimental-only`.
    Bypassed,
    /// It is not there.
    Missing,
}

impl Approval {
    /// Reads the value of the annotation; empty if there is none.
    pub fn of(annotation: &str) -> Approval {
        match annotation {
            "" => Approval::Missing,
            _ if annotation.starts_with("unapproved") => Approval::Bypassed,
            _ if is_url(annotation) => Approval::Approved,
            _ => Approval::Invalid,
        }
    }

    /// What Kubernetes says about an annotation with this approval.
    pub fn message(self, annotation: &str) -> String {
        let needed = format!("protected groups must have approval annotation {ANNOTATION:?}");
        match self {
            Approval::Approved => format!("approved in {annotation}"),
            Approval::Bypassed => format!("not approved: {}", crate::go_text::quoted(annotation)),
            Approval::Missing => format!("{needed}, {SEE}"),
            Approval::Invalid => {
                format!("{needed} with either a URL or a reason starting with \"unapproved\", {SEE}")
            }
        }
    }
}

/// Whether a group is one of the project itself, which reviews their APIs.
pub fn is_protected(group: &str) -> bool {
    let is_of = |domain: &&str| {
        group.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    ["k8s.io", "kubernetes.io"].iter().any(is_of)
}

/// Whether a text is a URL with a host.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_clean = !text.contains(|char: char| char.is_control() || char == ' ');
    is_scheme && !host.is_empty() && is_clean && escapes_are_whole(text)
}

/// Whether each percent sign begins a byte in hexadecimal digits.
fn escapes_are_whole(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        let mut digits = rest.bytes();
        let mut is_digit = || digits.next().is_some_and(|byte| byte.is_ascii_hexdigit());
        is_digit() && is_digit()
    })
}
