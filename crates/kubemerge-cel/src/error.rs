//! What is wrong with an expression or a value, in the words of cel-go.

use std::fmt;

/// Why an expression does not compile, or why an operation on values has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelError(String);

impl CelError {
    /// cel-go's text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CelError {}

impl From<String> for CelError {
    fn from(message: String) -> CelError {
        CelError(message)
    }
}

impl From<&str> for CelError {
    fn from(message: &str) -> CelError {
        CelError(message.to_owned())
    }
}

impl From<CelError> for String {
    fn from(error: CelError) -> String {
        error.0
    }
}
