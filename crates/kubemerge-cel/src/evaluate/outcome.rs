//! What an expression comes to.

use crate::{error::CelError, value::CelValue};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// In the words of cel-go.
    Failed(String),
    /// It cost more than it may.
    CostLimit,
    /// Upstream: cel-go crashes here, and says how.
    Crashed(String),
}

impl From<String> for EvaluationError {
    fn from(problem: String) -> EvaluationError {
        EvaluationError::Failed(problem)
    }
}

impl From<CelError> for EvaluationError {
    fn from(problem: CelError) -> EvaluationError {
        EvaluationError::Failed(problem.into())
    }
}

impl EvaluationError {
    /// Whether it ends the evaluation, whatever else could be evaluated.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, EvaluationError::CostLimit | EvaluationError::Crashed(_))
    }

    /// That a function does not take a value.
    pub(super) fn no_overload() -> EvaluationError {
        EvaluationError::Failed("no such overload".to_owned())
    }
}

/// A value, or why there is none.
pub type Outcome<'v> = Result<CelValue<'v>, EvaluationError>;
