//! The members of a map by name. Their values are canonical text that copies share.

use std::{borrow::Cow, cell::OnceCell};

use kubemerge_value::{Excerpt, Node};

/// A name; those that everybody uses are not copied.
pub(crate) type Name = Cow<'static, str>;

/// Up to so many members are looked through faster than they are searched.
const FEW: usize = 16;

/// Members, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Members(Vec<Member>);

#[derive(Clone, Debug)]
struct Member {
    name: Name,
    text: Excerpt,
    /// What a string says, where it is written with escapes and somebody asked.
    decoded: OnceCell<String>,
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Member {
    fn new(name: Name, text: Excerpt) -> Self {
        Member { name, text, decoded: OnceCell::new() }
    }

    fn characters(&self) -> Option<&str> {
        let quoted = self.text.as_bytes();
        let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        if !inner.contains(&b'\\') {
            return std::str::from_utf8(inner).ok();
        }
        let decode = || self.text.node().as_str().map(|text| text.text().into_owned()).unwrap_or_default();
        Some(self.decoded.get_or_init(decode))
    }
}

impl Members {
    pub(crate) fn with_capacity(members: usize) -> Self {
        Members(Vec::with_capacity(members))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|member| (*member.name).cmp(name))
    }

    /// Among few members most names differ in their length; clients may send very many.
    fn position(&self, name: &str) -> Option<usize> {
        if self.0.len() > FEW {
            return self.place(name).ok();
        }
        self.0.iter().position(|member| member.name == name)
    }

    fn find(&self, name: &str) -> Option<&Member> {
        self.position(name).map(|at| &self.0[at])
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Excerpt> {
        self.find(name).map(|member| &member.text)
    }

    /// The characters of a string.
    pub(crate) fn characters(&self, name: &str) -> Option<&str> {
        self.find(name)?.characters()
    }

    pub(crate) fn put(&mut self, name: Name, text: Excerpt) {
        match self.place(&name) {
            Ok(at) => self.0[at] = Member::new(name, text),
            Err(at) => self.0.insert(at, Member::new(name, text)),
        }
    }

    /// Adds a member whose name is greater than those of all others.
    pub(crate) fn push(&mut self, name: Name, text: Excerpt) {
        debug_assert!(self.0.last().is_none_or(|last| last.name < name));
        self.0.push(Member::new(name, text));
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Excerpt> {
        let at = self.position(name)?;
        Some(self.0.remove(at).text)
    }

    /// Keeps the members whose names are wanted; each that is left moves once, however many go.
    pub(crate) fn retain(&mut self, mut wanted: impl FnMut(&Name) -> bool) {
        self.0.retain(|member| wanted(&member.name));
    }

    /// Takes a member from others, or loses it if they have none.
    pub(crate) fn take(&mut self, name: &str, from: &Members) {
        match from.find(name) {
            Some(member) if self.get(name) == Some(&member.text) => {}
            Some(member) => self.put(member.name.clone(), member.text.clone()),
            None => drop(self.remove(name)),
        }
    }

    /// Whether both have the same value in a member, or both none.
    pub(crate) fn same(&self, other: &Members, name: &str) -> bool {
        self.get(name) == other.get(name)
    }

    /// How many bytes the members take when they are written one after another.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|member| member.name.len() + member.text.as_bytes().len() + "\"\":,".len()).sum()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.iter().map(|member| &member.name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Excerpt)> {
        self.0.iter().map(|member| (&*member.name, &member.text))
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        self.iter().map(|(name, text)| (name, text.node()))
    }
}
