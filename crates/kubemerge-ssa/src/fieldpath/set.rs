//! A set of paths: a trie, stored as a flat array in preorder.
//!
//! A node knows how many nodes its subtree has, so that a subtree is a slice and siblings are found by
//! skipping. Siblings are sorted and different from each other, and no subtree is without members.

use super::{Element, PathStack, SetBuilder};

/// A set of paths. The empty path is never in it, and a path does not imply its parents.
#[derive(Clone, Debug, Default)]
pub struct FieldSet<'a> {
    pub(super) nodes: Vec<SetNode<'a>>,
}

/// A step of some path of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetNode<'a> {
    pub(super) element: Element<'a>,
    /// How many nodes the subtree has, this one included.
    pub(super) size: u32,
    /// Whether the path that ends here is in the set.
    pub(super) is_member: bool,
}

impl<'a> FieldSet<'a> {
    /// The empty set.
    pub fn new() -> Self {
        FieldSet::default()
    }

    /// A set of paths of field names.
    pub fn of_names(paths: &[&[&'a str]]) -> Self {
        let elements = |names: &&[&'a str]| names.iter().copied().map(Element::Name).collect();
        FieldSet::of_paths(paths.iter().map(elements).collect())
    }

    /// A set of any paths.
    pub fn of_paths(mut paths: Vec<Vec<Element<'a>>>) -> Self {
        let order = |one: &Vec<Element<'a>>, two: &Vec<Element<'a>>| {
            let differing = one.iter().zip(two).map(|(one, two)| one.order(*two)).find(|order| order.is_ne());
            differing.unwrap_or_else(|| one.len().cmp(&two.len()))
        };
        paths.sort_by(order);
        let mut path = PathStack::new();
        let mut builder = SetBuilder::new();
        let mut open: &[Element<'a>] = &[];
        for elements in &paths {
            let shared = open.iter().zip(elements).take_while(|(one, two)| one == two).count();
            path.truncate(shared);
            elements[shared..].iter().for_each(|element| path.push(*element));
            builder.insert(&path);
            open = elements;
        }
        builder.finish()
    }

    /// Whether no path is in the set.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many paths are in the set.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_member).count()
    }

    /// The view of the whole set.
    pub(crate) fn view(&self) -> SetView<'_, 'a> {
        SetView { nodes: &self.nodes }
    }

    /// Whether a path is in the set.
    pub fn has(&self, path: &[Element<'_>]) -> bool {
        let Some((last, parents)) = path.split_last() else { return false };
        let view = parents.iter().try_fold(self.view(), |view, element| view.below(*element));
        view.is_some_and(|view| view.has_member(*last))
    }

    /// Calls `visit` with every path: at each step the paths that end there, then those that go on.
    pub fn each_path(&self, mut visit: impl FnMut(&[Element<'a>])) {
        each_path(self.view(), &mut Vec::new(), &mut visit);
    }

    /// The paths below which there is no other path of the set.
    pub fn leaves(&self) -> FieldSet<'a> {
        let mut nodes = self.nodes.clone();
        nodes.iter_mut().for_each(|node| node.is_member &= node.size == 1);
        FieldSet { nodes }
    }
}

impl PartialEq for FieldSet<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(one, two): (&SetNode<'_>, &SetNode<'_>)| {
            one.size == two.size && one.is_member == two.is_member && one.element == two.element
        };
        self.nodes.len() == other.nodes.len() && self.nodes.iter().zip(&other.nodes).all(same)
    }
}

fn each_path<'a>(view: SetView<'_, 'a>, path: &mut Vec<Element<'a>>, visit: &mut impl FnMut(&[Element<'a>])) {
    // Members of a level before what is below them: the order in which upstream lists paths.
    for child in view.children().filter(|child| child.is_member) {
        path.push(child.element);
        visit(path);
        path.pop();
    }
    for child in view.children().filter(|child| !child.below.is_empty()) {
        path.push(child.element);
        each_path(child.below, path, visit);
        path.pop();
    }
}

/// The part of a set below some path.
#[derive(Clone, Copy)]
pub(crate) struct SetView<'s, 'a> {
    pub(super) nodes: &'s [SetNode<'a>],
}

/// A step below some path.
#[derive(Clone, Copy)]
pub(crate) struct Child<'s, 'a> {
    pub(crate) element: Element<'a>,
    /// Whether the path that ends with this step is in the set.
    pub(crate) is_member: bool,
    /// What goes on from here.
    pub(crate) below: SetView<'s, 'a>,
}

impl<'s, 'a> SetView<'s, 'a> {
    pub(crate) const EMPTY: Self = SetView { nodes: &[] };

    pub(crate) fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The next steps, in order.
    pub(crate) fn children(self) -> Children<'s, 'a> {
        Children { rest: self.nodes }
    }

    /// The step with this element.
    pub(crate) fn child(self, element: Element<'_>) -> Option<Child<'s, 'a>> {
        self.children()
            // Children are sorted; subtrees have different sizes, so no binary search.
            .take_while(|child| child.element.order(element).is_le())
            .last()
            .filter(|child| child.element == element)
    }

    /// Whether the path of this one element is in the set.
    pub(crate) fn has_member(self, element: Element<'_>) -> bool {
        self.child(element).is_some_and(|child| child.is_member)
    }

    /// What goes on from this element; `None` if nothing does.
    pub(crate) fn below(self, element: Element<'_>) -> Option<SetView<'s, 'a>> {
        self.child(element).map(|child| child.below).filter(|below| !below.is_empty())
    }
}

/// The steps below some path, in order.
#[derive(Clone)]
pub(crate) struct Children<'s, 'a> {
    rest: &'s [SetNode<'a>],
}

impl<'s, 'a> Iterator for Children<'s, 'a> {
    type Item = Child<'s, 'a>;

    fn next(&mut self) -> Option<Child<'s, 'a>> {
        let node = self.rest.first()?;
        let (subtree, rest) = self.rest.split_at(node.size as usize);
        self.rest = rest;
        Some(Child {
            element: node.element,
            is_member: node.is_member,
            below: SetView { nodes: &subtree[1..] },
        })
    }
}

/// Walks the children of a view beside a sorted sequence of elements: each step costs what it passes.
pub(crate) struct Beside<'s, 'a> {
    children: std::iter::Peekable<Children<'s, 'a>>,
}

impl<'s, 'a> Beside<'s, 'a> {
    pub(crate) fn new(view: SetView<'s, 'a>) -> Self {
        Beside { children: view.children().peekable() }
    }

    /// The child with this element. Elements must be asked for in ascending order.
    pub(crate) fn child(&mut self, element: Element<'_>) -> Option<Child<'s, 'a>> {
        while self.children.next_if(|child| child.element.order(element).is_lt()).is_some() {}
        self.children.next_if(|child| child.element == element)
    }
}
