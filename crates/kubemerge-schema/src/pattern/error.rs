//! What Go says about wrong expressions.

use std::fmt;

/// What Go says about an expression that it does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    pub(super) problem: &'static str,
    part: String,
}

impl PatternError {
    pub(super) fn new(problem: &'static str, part: &str) -> PatternError {
        PatternError { problem, part: part.to_owned() }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error parsing regexp: {}: `{}`", self.problem, self.part)
    }
}

impl std::error::Error for PatternError {}
