//! Where the errors of one validation are collected.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;

use super::FieldError;
use crate::tree::Arena;

/// How many bytes of errors are collected. An object with thousands of wrong items, each error of which shows the whole
/// list, would need gigabytes otherwise.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// The errors of one validation, and the memory for its paths.
pub struct Report {
    arena: Arena,
    minor: u32,
    errors: RefCell<Vec<FieldError>>,
    bytes: Cell<usize>,
}

impl Report {
    /// An empty report for a minor version of Kubernetes.
    pub fn new(minor: u32) -> Report {
        // Room for the paths of a large pod: growing step by step costs more than asking once.
        const PATH_BYTES: usize = 16 * 1024;
        let arena = Arena::with_capacity(PATH_BYTES);
        Report { arena, minor, errors: RefCell::default(), bytes: Cell::new(0) }
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

    /// Whether there are too many errors to add another one.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.get() > MAX_ERROR_BYTES
    }

    pub(super) fn add(&self, error: FieldError) {
        let value = error.bad_value.as_ref().map_or(0, |value| value.as_str().len());
        self.bytes.set(self.bytes.get() + error.field.len() + error.detail.len() + value);
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
        let mut errors = self.errors.into_inner();
        if errors.len() > 1 {
            // Some rules are checked twice; Kubernetes tells each error once.
            let mut known = HashSet::new();
            errors.retain(|error| known.insert((error.kind, error.field.clone(), error.message())));
        }
        errors
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("minor", &self.minor)
            .field("errors", &self.errors)
            .finish_non_exhaustive()
    }
}
