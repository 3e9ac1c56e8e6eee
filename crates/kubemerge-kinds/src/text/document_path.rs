//! The path of a value: linked on the stack of a walk, and only written out when it is reported.

use std::fmt;

use crate::field_error::MAX_COMPLAINTS;

/// A path as Kubernetes writes it about unknown fields: names joined by dots, whatever they are.
#[derive(Clone, Copy)]
pub enum DocumentPath<'p> {
    /// The object.
    Root,
    /// A field of a map.
    Field(&'p DocumentPath<'p>, &'p str),
    /// An item of a list.
    Item(&'p DocumentPath<'p>, usize),
}

impl DocumentPath<'_> {
    /// Adds the path to complaints, unless there are already as many as are reported.
    pub fn note(&self, complaints: &mut Vec<String>) {
        if complaints.len() < MAX_COMPLAINTS {
            complaints.push(self.to_string());
        }
    }

    fn parent(&self) -> Option<&Self> {
        match self {
            DocumentPath::Root => None,
            DocumentPath::Field(parent, _) | DocumentPath::Item(parent, _) => Some(parent),
        }
    }
}

impl fmt::Display for DocumentPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<&DocumentPath<'_>> =
            std::iter::successors(Some(self), |place| place.parent()).collect();
        steps.into_iter().rev().try_for_each(|step| match step {
            DocumentPath::Root => Ok(()),
            DocumentPath::Field(DocumentPath::Root, name) => f.write_str(name),
            DocumentPath::Field(_, name) => write!(f, ".{name}"),
            DocumentPath::Item(_, at) => write!(f, "[{at}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_as_a_path() {
        let spec = DocumentPath::Field(&DocumentPath::Root, "spec");
        let list = DocumentPath::Field(&spec, "a.b");
        assert_eq!(DocumentPath::Field(&DocumentPath::Item(&list, 2), "c").to_string(), "spec.a.b[2].c");
    }

    #[test]
    fn only_what_is_reported_is_noted() {
        let mut complaints = Vec::new();
        (0..1000).for_each(|at| DocumentPath::Item(&DocumentPath::Root, at).note(&mut complaints));
        assert_eq!(complaints.len(), MAX_COMPLAINTS);
    }
}
