//! The members of a map by name. Their values are canonical text that copies share.

use kubemerge_value::SharedValue;
use smallvec::SmallVec;

use crate::store::field_name::Name;

/// Up to so many members are looked through faster than they are searched.
const MAX_LINEAR_MEMBERS: usize = 16;

/// Members, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Members(SmallVec<[Member; 3]>);

#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: Name,
    text: SharedValue,
}

impl Members {
    pub(crate) fn with_capacity(members: usize) -> Self {
        Members(SmallVec::with_capacity(members))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|member| (*member.name).cmp(name))
    }

    /// Among few members most names differ in their length; clients may send very many.
    fn position(&self, name: &str) -> Option<usize> {
        // A request may have very many unknown fields; a linear search for each would be quadratic.
        if self.0.len() > MAX_LINEAR_MEMBERS {
            return self.place(name).ok();
        }
        self.0.iter().position(|member| member.name == name)
    }

    fn find(&self, name: &str) -> Option<&Member> {
        self.position(name).map(|at| &self.0[at])
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SharedValue> {
        self.find(name).map(|member| &member.text)
    }

    pub(crate) fn put(&mut self, name: Name, text: SharedValue) {
        match self.place(&name) {
            Ok(at) => self.0[at] = Member { name, text },
            Err(at) => self.0.insert(at, Member { name, text }),
        }
    }

    /// Adds a member whose name is greater than those of all others.
    pub(crate) fn push(&mut self, name: Name, text: SharedValue) {
        debug_assert!(self.0.last().is_none_or(|last| last.name < name));
        self.0.push(Member { name, text });
    }

    /// How many bytes the members take when they are written one after another.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|member| member.name.len() + member.text.as_bytes().len() + "\"\":,".len()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Name, &SharedValue)> {
        self.0.iter().map(|member| (&member.name, &member.text))
    }
}
