//! A finding: something wrong in a document.

/// Something wrong in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, e.g. `definitions[a.B].properties[c].x-kubernetes-list-type`.
    pub path: String,
    /// The name of the rule, for machines.
    pub rule: &'static str,
    /// What is wrong, in Kubernetes' words where it has some.
    pub message: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The metadata is used, but does not do what it seems to.
    Warning,
    /// The API server refuses it.
    Error,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} [{}]", self.path, self.message, self.rule)
    }
}
