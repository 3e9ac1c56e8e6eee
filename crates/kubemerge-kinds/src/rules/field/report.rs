//! Where the errors of one validation are collected.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;

use super::{FieldError, RuleSource};
use crate::tree::Arena;

/// How many bytes of errors are collected. An object with thousands of wrong items, each error of which shows the whole
/// list, would need gigabytes otherwise.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// The errors of one validation, and the memory for its paths.
pub struct Report {
    arena: Arena,
    minor: u32,
    errors: RefCell<Vec<FieldError>>,
    /// Those of rules that are declared, which come after the others.
    declared: RefCell<Vec<FieldError>>,
    bytes: Cell<usize>,
}

impl Report {
    /// An empty report for a minor version of Kubernetes.
    pub fn new(minor: u32) -> Report {
        // Room for the paths of a large pod: growing step by step costs more than asking once.
        const PATH_BYTES: usize = 16 * 1024;
        let arena = Arena::with_capacity(PATH_BYTES);
        let (errors, declared) = (RefCell::default(), RefCell::default());
        Report { arena, minor, errors, declared, bytes: Cell::new(0) }
    }

    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    pub(super) fn minor(&self) -> u32 {
        self.minor
    }

    pub(super) fn len(&self) -> usize {
        self.errors.borrow().len() + self.declared.borrow().len()
    }

    /// Whether there are too many errors to add another one.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.get() > MAX_ERROR_BYTES
    }

    pub(super) fn add(&self, error: FieldError, source: RuleSource) {
        let value = error.bad_value.as_ref().map_or(0, |value| value.as_str().len());
        self.bytes.set(self.bytes.get() + error.field.len() + error.detail.len() + value);
        match source {
            RuleSource::Written => self.errors.borrow_mut().push(error),
            RuleSource::Declared => self.declared.borrow_mut().push(error),
        }
    }

    /// Whether no error was found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The errors so far; the report is empty after that.
    pub fn take_errors(&self) -> Vec<FieldError> {
        let mut errors = self.errors.take();
        errors.append(&mut self.declared.borrow_mut());
        errors
    }

    /// The errors, in the order in which they were found; those of declared rules are the last ones.
    pub fn into_errors(self) -> Vec<FieldError> {
        let mut errors = self.take_errors();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::tree::Map;

    #[test]
    fn errors_of_declared_rules_come_last() {
        let (arena, report) = (Arena::new(), Report::new(0));
        let object = Map::new_in(&arena);
        let root = Field::root(&object, &report);
        root.declared().field("a").field("b").required("");
        root.field("c").required("");
        assert_eq!(root.errors_so_far(), 2);
        let fields: Vec<String> = report.into_errors().into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["c", "a.b"]);
    }
}
