//! Where the errors of one validation are collected.

use std::cell::RefCell;
use std::fmt;

use super::FieldError;
use crate::tree::Arena;

/// The errors of one validation, and the memory for its paths.
pub struct Report {
    arena: Arena,
    minor: u32,
    errors: RefCell<Vec<FieldError>>,
}

impl Report {
    /// An empty report for a minor version of Kubernetes.
    pub fn new(minor: u32) -> Report {
        Report { arena: Arena::new(), minor, errors: RefCell::default() }
    }

    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    pub(super) fn minor(&self) -> u32 {
        self.minor
    }

    pub(super) fn len(&self) -> usize {
        self.errors.borrow().len()
    }

    pub(super) fn add(&self, error: FieldError) {
        self.errors.borrow_mut().push(error);
    }

    /// Whether no error was found.
    pub fn is_empty(&self) -> bool {
        self.errors.borrow().is_empty()
    }

    /// The errors so far; the report is empty after that.
    pub fn take_errors(&self) -> Vec<FieldError> {
        self.errors.take()
    }

    /// The errors, in the order in which they were found.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors.into_inner()
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("minor", &self.minor).field("errors", &self.errors).finish()
    }
}
