//! Where a value stands in an object: linked on the stack of a walk, and only written out when somebody asks.

use std::fmt;

use crate::field_error::COMPLAINTS_MOST;

/// A path as Kubernetes writes it about unknown fields: names joined by dots, whatever they are.
#[derive(Clone, Copy)]
pub enum Place<'p> {
    /// The object.
    Root,
    /// A field of a map.
    Field(&'p Place<'p>, &'p str),
    /// An item of a list.
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    /// Adds the path to complaints, unless there are already as many as are reported.
    pub fn note(&self, complaints: &mut Vec<String>) {
        if complaints.len() < COMPLAINTS_MOST {
            complaints.push(self.to_string());
        }
    }

    fn parent(&self) -> Option<&Self> {
        match self {
            Place::Root => None,
            Place::Field(parent, _) | Place::Item(parent, _) => Some(parent),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<&Place<'_>> = std::iter::successors(Some(self), |place| place.parent()).collect();
        steps.into_iter().rev().try_for_each(|step| match step {
            Place::Root => Ok(()),
            Place::Field(Place::Root, name) => f.write_str(name),
            Place::Field(_, name) => write!(f, ".{name}"),
            Place::Item(_, at) => write!(f, "[{at}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_as_a_path() {
        let spec = Place::Field(&Place::Root, "spec");
        let list = Place::Field(&spec, "a.b");
        assert_eq!(Place::Field(&Place::Item(&list, 2), "c").to_string(), "spec.a.b[2].c");
    }

    #[test]
    fn only_what_is_reported_is_noted() {
        let mut complaints = Vec::new();
        (0..1000).for_each(|at| Place::Item(&Place::Root, at).note(&mut complaints));
        assert_eq!(complaints.len(), COMPLAINTS_MOST);
    }
}
