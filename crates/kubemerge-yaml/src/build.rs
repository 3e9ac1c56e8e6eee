//! Builds a document item by item and keeps its laws: limits, keys that JSON can hold, no repeated key,
//! `<<` with maps only.
//!
//! All readers, of YAML events, block style and JSON text, end here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::error::{Position, YamlError, YamlErrorKind};
use super::options::{DuplicateKeys, Options};
use super::resolve::Resolved;
use super::trap::{Role, Trap, trap_of};
use super::tree::{Item, ItemId, Mark, Source, Style, Value, YamlDocument};
use kubemerge_value::MAX_DEPTH;
use kubemerge_value::part::text_of;

/// The `next` of a collection that is not closed yet.
const OPEN: ItemId = ItemId::MAX;

/// Maps up to this size are checked for repeated keys without a hash table.
// Comparing a few keys is faster than hashing them, and most maps are this small.
const MAX_COMPARED_KEYS: usize = 8;

pub(crate) struct Builder<'t> {
    document: YamlDocument<'t>,
    open: Vec<OpenCollection>,
    max_depth: usize,
    /// How long the JSON of each item with an anchor is.
    anchored: HashMap<ItemId, usize>,
}

struct OpenCollection {
    id: ItemId,
    children: usize,
    /// How long the JSON of its children is, aliases expanded.
    size: usize,
    /// Where the last child ends.
    end: u32,
}

/// Where an item is in the text.
pub(crate) struct Extent {
    /// Start with anchor and tag.
    pub(crate) outer: usize,
    /// Start of the content.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl From<Range<usize>> for Extent {
    fn from(range: Range<usize>) -> Extent {
        Extent { outer: range.start, start: range.start, end: range.end }
    }
}

impl<'t> Builder<'t> {
    pub(crate) fn new(text: &'t str, range: Range<usize>, source: Source, options: Options) -> Builder<'t> {
        let (items, traps) = (Vec::new(), Vec::new());
        let document = YamlDocument { text, range, items, traps, source, options, aliased: 0 };
        Builder { document, open: Vec::new(), max_depth: MAX_DEPTH, anchored: HashMap::new() }
    }

    /// Allows another depth, for values that have been checked before.
    pub(crate) fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    pub(crate) fn error(&self, kind: YamlErrorKind, offset: usize, message: impl Into<String>) -> YamlError {
        YamlError::new(kind, Position::of(self.document.text, offset), message)
    }

    /// Whether nothing has been added yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.document.items.is_empty()
    }

    /// Whether the next item is a key or a value.
    pub(crate) fn role(&self) -> Role {
        match self.open.last() {
            Some(open) if self.document.item(open.id).value == Value::Map && open.children % 2 == 0 => {
                Role::Key
            }
            _ => Role::Value,
        }
    }

    /// The style of the collection the next item belongs to, and how many children it has so far.
    pub(crate) fn parent(&self) -> Option<(&Item<'t>, usize)> {
        self.open.last().map(|open| (self.document.item(open.id), open.children))
    }

    pub(crate) fn scalar(
        &mut self,
        value: Value<'t>,
        style: Style,
        extent: Extent,
        mark: Mark,
    ) -> Result<ItemId, YamlError> {
        // As a key it is only text; as a value JSON cannot hold it.
        let unprintable = matches!(value, Value::Float(float) if !float.is_finite());
        if unprintable && self.role() == Role::Value {
            let message =
                format!("`{}` has no JSON form", text_of(self.document.text, extent.start..extent.end));
            return Err(self.error(YamlErrorKind::Value, extent.start, message).with_hint("quote it"));
        }
        self.push(value, style, extent, mark)
    }

    /// Notes a trap if the plain scalar just pushed is one.
    pub(crate) fn note_trap(&mut self, text: &str, resolved: Resolved, role: Role) {
        let Some(kind) = trap_of(text, resolved) else { return };
        let Some(item) = self.document.items.last() else { return };
        let id = self.document.items.len() - 1;
        let read_as = match role {
            Role::Key => self.document.key_text(id as ItemId).into_owned(),
            Role::Value => item.value.json_text(),
        };
        // A key that keeps its text is no surprise.
        if role == Role::Value || read_as != text {
            self.document.traps.push(Trap { kind, role, range: item.span(), read_as });
        }
    }

    pub(crate) fn alias(&mut self, target: ItemId, extent: Extent) -> Result<ItemId, YamlError> {
        // An alias inside its own anchor would expand without end.
        if self.document.item(target).next == OPEN {
            let name = text_of(self.document.text, extent.start..extent.end);
            let message = format!("the value of anchor `{}` contains itself", name.trim_start_matches('*'));
            return Err(self.error(YamlErrorKind::Alias, extent.start, message));
        }
        let size = self.anchored.get(&target).copied().unwrap_or_default();
        self.document.aliased = self.document.aliased.saturating_add(size);
        if self.document.aliased > self.document.options.max_aliased_bytes {
            let error = self.error(YamlErrorKind::Limit, extent.start, "aliases expand to too many bytes");
            return Err(error.with_hint("write fewer aliases of large values"));
        }
        self.add_size(size);
        self.push(Value::Alias(target), Style::Alias, extent, Mark::default())
    }

    pub(crate) fn open(
        &mut self,
        value: Value<'t>,
        style: Style,
        extent: Extent,
        mark: Mark,
    ) -> Result<ItemId, YamlError> {
        let (start, end) = (extent.start, extent.end as u32);
        // Pushed before the depth is checked, so that the limit on values is reported first.
        let id = self.push(value, style, extent, mark)?;
        if self.open.len() >= self.max_depth {
            let message = format!("nested more than {} levels deep", self.max_depth);
            return Err(self.error(YamlErrorKind::Limit, start, message));
        }
        self.document.item_mut(id).next = OPEN;
        self.open.push(OpenCollection { id, children: 0, size: 2, end });
        Ok(id)
    }

    /// Closes the innermost collection; a block collection ends with its last child.
    pub(crate) fn close(&mut self, flow_end: Option<usize>) -> Result<(), YamlError> {
        let Some(OpenCollection { id, size, end, .. }) = self.open.pop() else { return Ok(()) };
        self.add_size(size);
        if self.document.item(id).mark.anchor {
            self.anchored.insert(id, size);
        }
        let end = flow_end.map_or(end, |end| end as u32);
        if let Some(parent) = self.open.last_mut() {
            parent.end = parent.end.max(end);
        }
        let next = self.document.items.len() as ItemId;
        let item = self.document.item_mut(id);
        (item.next, item.end) = (next, end);
        if self.document.item(id).value == Value::Map { self.check_map(id) } else { Ok(()) }
    }

    pub(crate) fn finish(mut self) -> YamlDocument<'t> {
        // A long stream keeps the trees of thousands of documents.
        self.document.items.shrink_to_fit();
        self.document
    }

    /// Counts JSON of the innermost collection.
    fn add_size(&mut self, size: usize) {
        if let Some(open) = self.open.last_mut() {
            open.size = open.size.saturating_add(size);
        }
    }

    /// Widens the item to take in its anchor.
    pub(crate) fn anchor(&mut self, id: ItemId, offset: usize) {
        // That of a collection is known when it is closed.
        self.anchored.insert(id, self.document.item(id).scalar_size());
        let item = self.document.item_mut(id);
        // Edits replace a value together with its anchor.
        item.outer = item.outer.min(offset as u32);
        item.mark.anchor = true;
    }

    fn push(
        &mut self,
        value: Value<'t>,
        style: Style,
        extent: Extent,
        mark: Mark,
    ) -> Result<ItemId, YamlError> {
        if self.document.items.len() >= self.document.options.max_nodes {
            let message = format!("more than {} values in one document", self.document.options.max_nodes);
            return Err(self.error(YamlErrorKind::Limit, extent.start, message));
        }
        // Counted even for aliases: keys and values alternate by number.
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
            open.end = open.end.max(extent.end as u32);
        }
        let id = self.document.items.len() as ItemId;
        let Extent { outer, start, end } = extent;
        let (outer, start, end) = (outer as u32, start as u32, end as u32);
        let item = Item { value, outer, start, end, next: id + 1, style, mark };
        self.add_size(item.scalar_size());
        self.document.items.push(item);
        Ok(id)
    }

    fn check_map(&mut self, map: ItemId) -> Result<(), YamlError> {
        // Checked when a map closes, because aliases in it are then complete.
        let is_merge = |key| self.document.item(key).mark.merge;
        for (key, value) in self.document.entries(map) {
            if is_merge(key) { self.check_merge(value)? } else { self.check_key(key)? }
        }
        let has_merge = self.document.entries(map).any(|(key, _)| is_merge(key));
        // `<<` after other keys overrides them in yaml.v2, which most users do not expect.
        let late = self.document.entries(map).skip(1).find(|(key, _)| is_merge(*key));
        let late = late.map(|(key, _)| self.document.item(key).span());
        self.document.traps.extend(late.map(Trap::late_merge));
        let repeated = self.first_repeated_key(map);
        if let (Some((first, second)), DuplicateKeys::Error) =
            (repeated, self.document.options.duplicate_keys)
        {
            return Err(self.duplicate(first, second));
        }
        // Only such maps need to be expanded before their members are read.
        self.document.item_mut(map).mark.overrides = has_merge || repeated.is_some();
        Ok(())
    }

    fn check_key(&self, key: ItemId) -> Result<(), YamlError> {
        let what = match self.document.item(self.document.resolve_alias(key)).value {
            Value::Null => "null",
            Value::List => "a list",
            Value::Map => "a map",
            // yaml.v2 cannot turn these into the string keys of JSON.
            Value::UInt(_) => "an integer beyond 63 bits",
            _ => return Ok(()),
        };
        let offset = self.document.item(key).start as usize;
        Err(self.error(YamlErrorKind::Key, offset, format!("{what} cannot be a key")).with_hint("quote it"))
    }

    fn check_merge(&self, value: ItemId) -> Result<(), YamlError> {
        let document = &self.document;
        let is_map = |id| document.item(document.resolve_alias(id)).value == Value::Map;
        let fits = is_map(value)
            || (document.item(value).value == Value::List && document.children(value).all(is_map));
        if fits {
            return Ok(());
        }
        let offset = document.item(value).start as usize;
        Err(self.error(YamlErrorKind::Merge, offset, "`<<` needs a map or a list of maps as its value"))
    }

    fn first_repeated_key(&self, map: ItemId) -> Option<(ItemId, ItemId)> {
        let document = &self.document;
        let keys = || document.entries(map).map(|(key, _)| key).filter(|key| !document.item(*key).mark.merge);
        if keys().nth(MAX_COMPARED_KEYS).is_none() {
            return keys().enumerate().find_map(|(index, second)| {
                let text = document.key_text(second);
                let first = keys().take(index).find(|first| document.key_text(*first) == text)?;
                Some((first, second))
            });
        }
        let mut seen: HashMap<Cow<'_, str>, ItemId> = HashMap::new();
        keys().find_map(|second| seen.insert(document.key_text(second), second).map(|first| (first, second)))
    }

    fn duplicate(&self, first: ItemId, second: ItemId) -> YamlError {
        let position = |id| Position::of(self.document.text, self.document.item(id).start as usize);
        let first_position = position(first);
        let message =
            format!("key `{}` is duplicated, first at {first_position}", self.document.key_text(second));
        YamlError::new(YamlErrorKind::DuplicateKey { first: first_position }, position(second), message)
            .with_hint("keep one of them")
    }
}
