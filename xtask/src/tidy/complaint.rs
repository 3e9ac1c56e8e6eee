//! What a check complains about, and the list of what may still fail.

use std::fmt;

/// One violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// A package, or a file of the repository.
    pub(crate) at: String,
    /// The line in the file; none for a package or a file as a whole.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn new(at: impl Into<String>, message: impl Into<String>) -> Complaint {
        Complaint { at: at.into(), line: None, message: message.into() }
    }

    pub(crate) fn on_line(at: &str, line: usize, message: impl Into<String>) -> Complaint {
        Complaint { at: at.to_owned(), line: Some(line), message: message.into() }
    }

    /// Whether it is about a package or one of its files.
    pub(crate) fn is_about(&self, package: &str) -> bool {
        let inside = self.at.strip_prefix("crates/").unwrap_or(&self.at);
        inside.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_knows_its_package() {
        assert!(Complaint::new("kubemerge-cli", "").is_about("kubemerge-cli"));
        assert!(Complaint::on_line("crates/kubemerge-cli/src/main.rs", 1, "").is_about("kubemerge-cli"));
        assert!(!Complaint::new("crates/kubemerge-cli/src/main.rs", "").is_about("kubemerge"));
        assert_eq!(Complaint::on_line("a.rs", 3, "wrong").to_string(), "a.rs:3: wrong");
    }
}
