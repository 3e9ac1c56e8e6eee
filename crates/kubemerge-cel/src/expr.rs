//! Expressions in CEL as trees, macros expanded.

use kubemerge_value::deep;

use super::literal::Literal;

/// A part of an expression.
#[derive(Debug)]
pub(crate) struct Expr<'e> {
    /// Its number among the parts of the expression.
    pub(super) id: usize,
    /// How many characters are before the place that problems with it are reported at.
    pub(super) at: usize,
    pub(super) node: Node<'e>,
}

/// A long chain of operators is a deep tree, which is dropped with room for recursion.
impl Drop for Expr<'_> {
    fn drop(&mut self) {
        let node = std::mem::replace(&mut self.node, Node::Literal(Literal::Null));
        if !matches!(node, Node::Literal(_) | Node::Identifier(_)) {
            deep(|| drop(node));
        }
    }
}

/// What a part of an expression is.
#[derive(Debug)]
pub(super) enum Node<'e> {
    Literal(Literal),
    Identifier(&'e str),
    Select(Select<'e>),
    /// A function or an operator under the name that cel-go gives it: `_+_`.
    Call(Call<'e>),
    List(Vec<Item<'e>>),
    Map(Vec<Entry<'e>>),
    /// A value of a named type with the values of its fields.
    Struct {
        name: String,
        fields: Vec<(&'e str, Item<'e>)>,
    },
    Comprehension(Box<Comprehension<'e>>),
}

/// A field of a value.
#[derive(Debug)]
pub(super) struct Select<'e> {
    pub(super) operand: Box<Expr<'e>>,
    pub(super) field: &'e str,
    /// Whether it is only asked for: `has(a.b)`.
    pub(super) is_test: bool,
}

/// A function with its arguments, and the value before the dot.
#[derive(Debug)]
pub(super) struct Call<'e> {
    pub(super) function: &'e str,
    pub(super) target: Option<Box<Expr<'e>>>,
    pub(super) arguments: Vec<Expr<'e>>,
}

/// A member of a list or a struct; an optional one may turn out to be absent.
#[derive(Debug)]
pub(super) struct Item<'e> {
    pub(super) value: Expr<'e>,
    pub(super) is_optional: bool,
}

/// A member of a map.
#[derive(Debug)]
pub(super) struct Entry<'e> {
    pub(super) key: Expr<'e>,
    pub(super) value: Expr<'e>,
    pub(super) is_optional: bool,
}

/// What macros such as `all` become: a loop over a list or a map that changes an accumulator.
#[derive(Debug)]
pub(super) struct Comprehension<'e> {
    pub(super) range: Expr<'e>,
    /// The item or the key; the index or the key if there is a second variable.
    pub(super) variable: &'e str,
    /// The item or the value.
    pub(super) second: Option<&'e str>,
    pub(super) accumulator: &'e str,
    pub(super) init: Expr<'e>,
    /// Whether to go on.
    pub(super) condition: Expr<'e>,
    pub(super) step: Expr<'e>,
    pub(super) result: Expr<'e>,
}

impl<'e> Expr<'e> {
    /// Calls a function with all expressions directly below this one.
    pub(super) fn for_each_child<'x>(&'x self, mut visit: impl FnMut(&'x Expr<'e>)) {
        match &self.node {
            Node::Literal(_) | Node::Identifier(_) => {}
            Node::Select(select) => visit(&select.operand),
            Node::Call(call) => call.target.as_deref().into_iter().chain(&call.arguments).for_each(visit),
            Node::List(items) => items.iter().for_each(|item| visit(&item.value)),
            Node::Struct { fields, .. } => fields.iter().for_each(|(_, item)| visit(&item.value)),
            Node::Map(entries) => entries.iter().for_each(|entry| {
                visit(&entry.key);
                visit(&entry.value);
            }),
            Node::Comprehension(loops) => {
                [&loops.range, &loops.init, &loops.condition, &loops.step, &loops.result]
                    .into_iter()
                    .for_each(visit);
            }
        }
    }

    /// Whether an identifier occurs anywhere, as a variable of this name or as one that hides it.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let mut is_found = matches!(self.node, Node::Identifier(known) if known == name);
        self.for_each_child(|child| is_found = is_found || deep(|| child.mentions(name)));
        is_found
    }
}

/// How many words a name with dots may have: no variable and no function has more.
const MAX_NAME_WORDS: usize = 4;

/// `a.b.c` as one name, if it is nothing but names.
pub(super) fn path(expr: &Expr<'_>) -> Option<String> {
    let mut words = Vec::new();
    let mut rest = expr;
    while let Node::Select(Select { operand, field, is_test: false }) = &rest.node {
        words.push(*field);
        rest = operand;
        if words.len() >= MAX_NAME_WORDS {
            return None;
        }
    }
    let Node::Identifier(first) = rest.node else { return None };
    words.push(first);
    words.reverse();
    Some(words.join("."))
}
