//! The parsed document: a flat tree in reading order that keeps the byte range of every key and value.
//!
//! Items are in pre-order in one vector, so dropping and walking never recurse; an item knows where its
//! subtree ends. A map's children alternate between key and value.

use std::borrow::Cow;
use std::ops::Range;

use kubemerge_value::part::item_at;

use super::error::Position;
use super::number::key_float;
use super::options::Options;
use super::trap::Trap;

/// One YAML document and the text it came from.
#[derive(Clone, Debug)]
pub struct YamlDocument<'t> {
    pub(crate) text: &'t str,
    pub(crate) range: Range<usize>,
    pub(crate) items: Vec<Item<'t>>,
    pub(crate) traps: Vec<Trap>,
    pub(crate) source: Source,
    pub(crate) options: Options,
    /// How many bytes of JSON come from aliases.
    pub(crate) aliased: usize,
}

/// What a document was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Yaml,
    Json,
}

/// Index of an item within its document.
pub(crate) type ItemId = u32;

#[derive(Clone, Debug)]
pub(crate) struct Item<'t> {
    pub(crate) value: Value<'t>,
    /// Where the item starts, its anchor and tag included.
    pub(crate) outer: u32,
    /// Where its content starts.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The item after this one's subtree.
    pub(crate) next: ItemId,
    pub(crate) style: Style,
    pub(crate) mark: Mark,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    /// A number of a JSON text, kept as written.
    Literal(&'t str),
    String(Cow<'t, str>),
    List,
    Map,
    Alias(ItemId),
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A scalar without quotes, on one line or several.
    Plain,
    /// A scalar in single or double quotes.
    Quoted,
    /// A scalar as `|` or `>` block.
    BlockScalar,
    /// A list or map by indentation.
    Block,
    /// A list or map in brackets or braces.
    Flow,
    /// An alias such as `*base`.
    Alias,
}

/// What the way from the tree to JSON must know about an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// A key `<<` whose value is merged into the map.
    pub(crate) merge: bool,
    /// The item carries an anchor.
    pub(crate) anchor: bool,
    /// The item carries a tag.
    pub(crate) tag: bool,
    /// A map with a merge key or a repeated key: members override each other.
    pub(crate) overrides: bool,
}

impl<'t> YamlDocument<'t> {
    /// The text the document is part of; all ranges refer to it.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The document's share of the text, without the `---` lines around it.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The place of the document's value.
    #[must_use]
    pub fn root(&self) -> Place<'_, 't> {
        Place { document: self, id: 0 }
    }

    /// Scalars that YAML 1.1 reads otherwise than their author may have meant.
    #[must_use]
    pub fn traps(&self) -> &[Trap] {
        &self.traps
    }

    /// Line and column of a byte offset into the text.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(self.text, offset)
    }

    pub(crate) fn item(&self, id: ItemId) -> &Item<'t> {
        item_at(&self.items, id as usize)
    }

    #[expect(clippy::indexing_slicing, reason = "items are never removed, and ids are those of items")]
    pub(crate) fn item_mut(&mut self, id: ItemId) -> &mut Item<'t> {
        &mut self.items[id as usize]
    }

    pub(crate) fn children(&self, id: ItemId) -> Children<'_, 't> {
        // A scalar has no children: its next item is outside it.
        let next = if self.item(id).is_collection() { id + 1 } else { self.item(id).next };
        Children { document: self, next, end: self.item(id).next }
    }

    /// Keys and values of a map, in the order written, merge keys and repeated keys included.
    pub(crate) fn entries(&self, id: ItemId) -> impl Iterator<Item = (ItemId, ItemId)> {
        let mut children = self.children(id);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The item an alias refers to, or the item itself.
    pub(crate) fn resolve_alias(&self, id: ItemId) -> ItemId {
        match self.item(id).value {
            Value::Alias(target) => target,
            _ => id,
        }
    }

    /// The text of a key, in the form its type has as a JSON key.
    pub(crate) fn key_text(&self, key: ItemId) -> Cow<'_, str> {
        match &self.item(self.resolve_alias(key)).value {
            Value::String(text) => Cow::Borrowed(text),
            Value::Literal(text) => Cow::Borrowed(text),
            Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Value::Int(value) => Cow::Owned(value.to_string()),
            Value::UInt(value) => Cow::Owned(value.to_string()),
            Value::Float(value) => Cow::Owned(key_float(*value)),
            // Refused as keys when the map was read.
            Value::Null | Value::List | Value::Map | Value::Alias(_) => Cow::Borrowed(""),
        }
    }
}

impl Item<'_> {
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self.value, Value::List | Value::Map)
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// About how many bytes of JSON the item itself is, without children and what an alias refers to.
    pub(crate) fn scalar_size(&self) -> usize {
        match &self.value {
            Value::List | Value::Map | Value::Alias(_) => 0,
            // Quotes, and a comma or colon.
            Value::String(text) => text.len() + 3,
            // `1e20` has 21 digits.
            Value::Float(_) => 24,
            _ => self.span().len() + 1,
        }
    }
}

/// Walks the children of an item.
pub(crate) struct Children<'d, 't> {
    document: &'d YamlDocument<'t>,
    next: ItemId,
    end: ItemId,
}

impl Iterator for Children<'_, '_> {
    type Item = ItemId;

    fn next(&mut self) -> Option<ItemId> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.document.item(child).next;
        Some(child)
    }
}

/// A key or value in a document, with its range in the text.
#[derive(Clone, Copy, Debug)]
pub struct Place<'d, 't> {
    pub(crate) document: &'d YamlDocument<'t>,
    pub(crate) id: ItemId,
}

impl<'d, 't> Place<'d, 't> {
    fn item(self) -> &'d Item<'t> {
        self.document.item(self.id)
    }

    /// The byte range of the content: quotes and block scalar headers included, anchor and tag not.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.item().span()
    }

    /// The byte range with anchor and tag.
    #[must_use]
    pub fn outer_range(self) -> Range<usize> {
        self.item().outer as usize..self.item().end as usize
    }

    /// Line and column where the content starts.
    #[must_use]
    pub fn position(self) -> Position {
        self.document.position(self.item().start as usize)
    }

    /// How the value is written.
    #[must_use]
    pub fn style(self) -> Style {
        self.item().style
    }

    /// Whether other places may refer to this one.
    #[must_use]
    pub fn is_anchored(self) -> bool {
        self.item().mark.anchor
    }

    /// Whether this is a `<<` key.
    #[must_use]
    pub fn is_merge_key(self) -> bool {
        self.item().mark.merge
    }

    /// The place an alias refers to.
    #[must_use]
    pub fn alias_target(self) -> Option<Place<'d, 't>> {
        match self.item().value {
            Value::Alias(id) => Some(Place { id, ..self }),
            _ => None,
        }
    }

    /// The members of a map as written, `<<` included; nothing for other values.
    pub fn entries(self) -> impl Iterator<Item = (Place<'d, 't>, Place<'d, 't>)> {
        let is_map = self.item().value == Value::Map;
        let entries = is_map.then(|| self.document.entries(self.id));
        entries
            .into_iter()
            .flatten()
            .map(move |(key, value)| (Place { id: key, ..self }, Place { id: value, ..self }))
    }

    /// The elements of a list; nothing for other values.
    pub fn elements(self) -> impl Iterator<Item = Place<'d, 't>> {
        let is_list = self.item().value == Value::List;
        let elements = is_list.then(|| self.document.children(self.id));
        elements.into_iter().flatten().map(move |id| Place { id, ..self })
    }

    /// The text a key has in JSON.
    #[must_use]
    pub fn key_text(self) -> Cow<'d, str> {
        self.document.key_text(self.id)
    }
}
