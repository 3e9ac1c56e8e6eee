//! Paths into a document, for messages.

use std::fmt;

/// A path into a document: a list on the stack, printed only when there is something to report.
#[derive(Clone, Copy)]
pub(crate) struct DocumentPath<'p> {
    parent: Option<&'p DocumentPath<'p>>,
    step: PathStep<'p>,
}

#[derive(Clone, Copy)]
enum PathStep<'p> {
    /// A keyword: `properties`.
    Keyword(&'p str),
    /// A name of the document's author, which may hold dots: `[io.k8s.api.core.v1.Pod]`.
    Key(&'p str),
    /// An index of a list: `[0]`.
    Index(usize),
}

impl<'p> DocumentPath<'p> {
    pub(crate) fn root(keyword: &'p str) -> DocumentPath<'p> {
        DocumentPath { parent: None, step: PathStep::Keyword(keyword) }
    }

    pub(crate) fn keyword<'c>(&'c self, keyword: &'c str) -> DocumentPath<'c> {
        DocumentPath { parent: Some(self), step: PathStep::Keyword(keyword) }
    }

    pub(crate) fn key<'c>(&'c self, key: &'c str) -> DocumentPath<'c> {
        DocumentPath { parent: Some(self), step: PathStep::Key(key) }
    }

    pub(crate) fn index(&self, index: usize) -> DocumentPath<'_> {
        DocumentPath { parent: Some(self), step: PathStep::Index(index) }
    }
}

impl fmt::Display for DocumentPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match (self.step, self.parent) {
            (PathStep::Keyword(keyword), None) => f.write_str(keyword),
            (PathStep::Keyword(keyword), Some(_)) => write!(f, ".{keyword}"),
            (PathStep::Key(key), _) => write!(f, "[{key}]"),
            (PathStep::Index(index), _) => write!(f, "[{index}]"),
        }
    }
}
