//! What is wrong with a value, in the words of structured-merge-diff.

use std::fmt::{self, Display, Formatter};

use crate::fieldpath::PathStack;

/// Something wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// The path of the field, as messages print it.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Display for ValidationError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Everything that is wrong with a value. Never empty as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationErrors(pub Vec<ValidationError>);

impl ValidationErrors {
    pub(crate) fn add(&mut self, path: &PathStack<'_>, message: impl Into<String>) {
        let path = path.elements().map(|element| element.to_string()).collect();
        self.0.push(ValidationError { path, message: message.into() });
    }

    pub(crate) fn or<T>(self, result: T) -> Result<T, ValidationErrors> {
        if self.0.is_empty() { Ok(result) } else { Err(self) }
    }
}

impl Display for ValidationErrors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // One error is printed bare, several as a list.
        if let [problem] = &self.0[..] {
            return problem.fmt(f);
        }
        f.write_str("errors:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for ValidationErrors {}
