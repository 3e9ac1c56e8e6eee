//! A finding: something wrong in a document.

use serde_json::Value;

/// Something wrong in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFinding {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, e.g. `definitions[a.B].properties[c].x-kubernetes-list-type`.
    pub path: String,
    /// The name of the rule, for machines.
    pub rule: &'static str,
    /// What is wrong, in Kubernetes' words where it has some.
    pub message: String,
    /// What the API server says about it; none where it says nothing or refuses the document as a whole.
    pub violation: Option<Violation>,
}

/// The error with which the API server refuses a field of a custom resource definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kind of the error.
    pub kind: ViolationKind,
    /// What is wrong, in Kubernetes' words.
    pub detail: String,
}

/// The kinds of [`Violation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The field must have a value.
    Required,
    /// The field must not have a value.
    Forbidden,
    /// The value is wrong.
    Invalid(Value),
    /// The value is not among the words that are allowed.
    NotSupported {
        /// The value.
        value: Value,
        /// The words.
        supported: &'static [&'static str],
    },
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The metadata is used, but does not do what it seems to.
    Warning,
    /// The API server refuses it.
    Error,
}

impl SchemaFinding {
    /// A finding of a rule that the API server does not have.
    pub fn new(
        severity: Severity,
        path: impl Into<String>,
        rule: &'static str,
        message: impl Into<String>,
    ) -> SchemaFinding {
        SchemaFinding { severity, path: path.into(), rule, message: message.into(), violation: None }
    }

    /// About how many bytes the value in the violation takes.
    pub(super) fn value_size(&self) -> usize {
        match self.violation.as_ref().map(|violation| &violation.kind) {
            Some(ViolationKind::Invalid(value) | ViolationKind::NotSupported { value, .. }) => {
                // The value is printed in the message of the API server, so it counts for the size.
                value.to_string().len()
            }
            _ => 0,
        }
    }
}

impl std::fmt::Display for SchemaFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} [{}]", self.path, self.message, self.rule)
    }
}
