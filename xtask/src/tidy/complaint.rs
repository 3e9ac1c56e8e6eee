//! What a check complains about, and where.

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
    fn a_complaint_says_where() {
        assert_eq!(Complaint::new("kubemerge-cli", "wrong").to_string(), "kubemerge-cli: wrong");
        assert_eq!(Complaint::on_line("a.rs", 3, "wrong").to_string(), "a.rs:3: wrong");
    }
}
