//! Edits a YAML text so that it holds another value, and changes no more than that.
//!
//! The old tree and the new value are walked together. Equal parts keep their text, comments and quotes
//! (`fingerprints` tells which are equal); changed scalars are replaced by span (`replace`); members and elements
//! are cut and inserted, as lines (`map`, `list`, with `lines` knowing where lines begin and end) or between
//! commas (`flow`). What cannot be edited in place, a map with `<<` for instance, is written anew as a whole.
//!
//! The result is read back before it is handed out: if it does not hold the new value, the document is
//! written anew.

mod fingerprints;
mod flow;
mod lines;
mod list;
mod map;
mod replace;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::emit::{Emitter, KUBERNETES, KeyOrder, Layout, Slot};
use super::error::YamlError;
use super::tree::{Item, ItemId, Source, Style, Value, YamlDocument};
use super::{json_text, options::Options, stream};
use fingerprints::Fingerprints;
use kubemerge_value::part::text_of;
use kubemerge_value::{Node, deep, to_bytes};

/// A piece of text to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes away; empty for an insertion.
    pub range: Range<usize>,
    /// What comes instead.
    pub text: String,
}

/// The edits of a document, and how much of its layout they keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEdits {
    /// In the order of the text.
    pub edits: Vec<Edit>,
    /// What they keep.
    pub kept: KeptLayout,
}

/// How much of the layout and the comments of a document edits keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptLayout {
    /// All of it, except inside values that cannot be edited in place, such as maps with `<<`.
    All,
    /// That of the first levels: values below them are written anew if something in them changes.
    FirstLevels,
    /// Nothing: the document is written anew, without its comments.
    Nothing,
}

/// Applies edits that are in order and do not overlap, such as those of [`YamlDocument::edits`].
///
/// # Panics
///
/// If they are not, or if they do not fit the text.
#[must_use]
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for Edit { range, text: new } in edits {
        out.push_str(text_of(text, copied..range.start));
        out.push_str(new);
        copied = range.end;
    }
    out.push_str(text_of(text, copied..));
    out
}

impl YamlDocument<'_> {
    /// The edit that removes this document, together with the `---` line before it.
    #[must_use]
    pub fn removal(&self) -> Edit {
        let Range { start, end } = self.range();
        let before = text_of(self.text, ..start);
        let line = before.strip_suffix('\n').unwrap_or(before).rfind('\n').map_or(0, |newline| newline + 1);
        // The first document need not have a separator, and JSON values may follow each other without one.
        let start = if text_of(before, line..).starts_with("---") { line } else { start };
        Edit { range: start..end, text: String::new() }
    }

    /// The edits that make this document hold a new value.
    ///
    /// Comments, key order, quotes and layout of everything that stays equal are kept; an equal value needs
    /// no edit. Ranges refer to the whole text, so the edits of several documents of one text can be
    /// concatenated and given to [`apply_edits`].
    ///
    /// ```
    /// use kubemerge_value::Document;
    /// use kubemerge_yaml as yaml;
    ///
    /// let text = "# web\nreplicas: 1  # few\nimage: 'web:1'\n";
    /// let old = &yaml::parse(text.as_bytes(), &yaml::Options::default())?[0];
    /// let new = Document::check(br#"{"replicas":3,"image":"web:1","paused":true}"#).unwrap();
    /// let edited = yaml::apply_edits(text, &old.edits(new.node())?);
    /// assert_eq!(edited, "# web\nreplicas: 3  # few\nimage: 'web:1'\npaused: true\n");
    /// # Ok::<(), yaml::YamlError>(())
    /// ```
    pub fn edits(&self, new: Node<'_>) -> Result<Vec<Edit>, YamlError> {
        self.edits_to_json(&to_bytes(new))
    }

    /// Like [`YamlDocument::edits`], with the new value as JSON text.
    pub fn edits_to_json(&self, json: &[u8]) -> Result<Vec<Edit>, YamlError> {
        self.document_edits(json).map(|document| document.edits)
    }

    /// Like [`YamlDocument::edits_to_json`]; says as well how much of the layout the edits keep.
    pub fn document_edits(&self, json: &[u8]) -> Result<DocumentEdits, YamlError> {
        let new = json_text::read_value(json)?;
        let mut editor = Editor::new(self, &new)?;
        // Each attempt is read back. If an edit went wrong, less of the layout is kept, down to none.
        for (max_depth, kept) in ATTEMPTS {
            let edits = editor.attempt(max_depth);
            if editor.holds_new_value(&edits) {
                return Ok(DocumentEdits { edits, kept });
            }
        }
        // Never wrong, but it keeps no comment.
        editor.replace_root(0);
        Ok(DocumentEdits { edits: editor.edits, kept: KeptLayout::Nothing })
    }
}

/// How many levels are edited in place before values are written anew: all, the first few, the first.
const ATTEMPTS: [(usize, KeptLayout); 3] =
    [(usize::MAX, KeptLayout::All), (3, KeptLayout::FirstLevels), (1, KeptLayout::FirstLevels)];

/// The position of a value, as far as replacing it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Root,
    /// After a colon or dash at `start`; the map or list is at `indent`.
    Slot {
        slot: Slot,
        start: usize,
    },
    /// Between braces or brackets.
    Flow,
}

struct Editor<'d, 't, 'n> {
    old: &'d YamlDocument<'t>,
    new: &'d YamlDocument<'n>,
    fingerprints: Fingerprints,
    old_fingerprints: Vec<u64>,
    new_fingerprints: Vec<u64>,
    /// Aliases by the item they refer to.
    aliases: HashMap<ItemId, Vec<ItemId>>,
    /// Aliases whose target has changed: they must be written out.
    stale: BTreeSet<ItemId>,
    layout: Layout,
    newline: &'static str,
    /// Levels that may still be edited in place.
    levels: usize,
    edits: Vec<Edit>,
}

impl<'d, 't, 'n> Editor<'d, 't, 'n> {
    fn new(old: &'d YamlDocument<'t>, new: &'d YamlDocument<'n>) -> Result<Self, YamlError> {
        let mut aliases: HashMap<ItemId, Vec<ItemId>> = HashMap::new();
        for (id, item) in (0..).zip(&old.items) {
            if let Value::Alias(target) = item.value {
                aliases.entry(target).or_default().push(id);
            }
        }
        // One kind of line break for all new lines: editors mix them badly.
        let newline = if text_of(old.text, old.range()).contains("\r\n") { "\r\n" } else { "\n" };
        let fingerprints = Fingerprints::default();
        Ok(Editor {
            old,
            new,
            old_fingerprints: fingerprints.of_items(old)?,
            new_fingerprints: fingerprints.of_items(new)?,
            fingerprints,
            aliases,
            stale: BTreeSet::new(),
            layout: layout_of(old),
            newline,
            levels: 0,
            edits: Vec::new(),
        })
    }

    fn attempt(&mut self, max_depth: usize) -> Vec<Edit> {
        self.stale.clear();
        self.edits.clear();
        self.levels = max_depth;
        self.descend(0, 0, Context::Root);
        let mut edits = std::mem::take(&mut self.edits);
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        edits
    }

    fn descend(&mut self, old: ItemId, new: ItemId, context: Context) {
        let equal =
            fingerprints::at(&self.old_fingerprints, old) == fingerprints::at(&self.new_fingerprints, new);
        // Equal values still change if an alias in them lost its anchor.
        if equal && self.stale.range(old..self.old.item(old).next).next().is_none() {
            return;
        }
        if !equal {
            self.mark_stale(old..old + 1);
        }
        if !deep(|| self.edit_inside(old, new)) {
            self.replace(old, new, context);
        }
    }

    /// Edits the parts of a collection; `false`, and nothing done, if that cannot be done in place.
    fn edit_inside(&mut self, old: ItemId, new: ItemId) -> bool {
        if self.levels == 0 {
            return false;
        }
        self.levels -= 1;
        let done = self.edits.len();
        let (from, to) = (self.old.item(old), self.new.item(new));
        let edited = match (&from.value, &to.value, from.style) {
            // Merge keys make members that have no text; an empty collection has no line to edit.
            _ if from.mark.overrides || to.mark.overrides || to.next == new + 1 => false,
            (Value::Map, Value::Map, Style::Block) => self.edit_map(old, new),
            (Value::List, Value::List, Style::Block) => self.edit_list(old, new),
            (Value::Map, Value::Map, Style::Flow) => self.edit_flow_map(old, new),
            (Value::List, Value::List, Style::Flow) => self.edit_flow_list(old, new),
            _ => false,
        };
        self.levels += 1;
        if !edited {
            // What was done inside is replaced as a whole.
            self.edits.truncate(done);
        }
        edited
    }

    /// The members of a map of the new value by key.
    fn new_members(&self, map: ItemId) -> HashMap<std::borrow::Cow<'d, str>, (ItemId, ItemId)> {
        self.new.entries(map).map(|(key, value)| (self.new.key_text(key), (key, value))).collect()
    }

    /// Aliases of the anchors in this range can no longer be used for them.
    fn mark_stale(&mut self, items: Range<ItemId>) {
        // Nearly all documents; saves a walk over the items.
        if self.aliases.is_empty() {
            return;
        }
        for id in items {
            if let Some(aliases) = self.aliases.get(&id) {
                self.stale.extend(aliases);
            }
        }
    }

    fn holds_new_value(&self, edits: &[Edit]) -> bool {
        // Overlapping edits cannot be applied.
        if edits.iter().zip(edits.iter().skip(1)).any(|(edit, next)| edit.range.end > next.range.start) {
            return false;
        }
        let text = self.old.text;
        let Range { start, end } = self.old.range();
        let shifted: Vec<Edit> = edits
            .iter()
            .map(|edit| Edit {
                range: edit.range.start - start..edit.range.end - start,
                text: edit.text.clone(),
            })
            .collect();
        let edited = apply_edits(text_of(text, start..end), &shifted);
        // The result may be larger than the input, and is ours.
        let options = Options { max_nodes: usize::MAX, ..self.old.options };
        let read = stream::read_segment(&edited, 0..edited.len(), options);
        match read.as_deref() {
            Ok([document]) => self
                .fingerprints
                .of_items(document)
                .is_ok_and(|fingerprints| fingerprints.first() == self.new_fingerprints.first()),
            _ => false,
        }
    }

    /// A value of the new tree as it is written between braces or brackets of the old text.
    fn flow_text(&self, new: ItemId) -> String {
        match self.old.source {
            Source::Json => self.new.json_text_of(new),
            Source::Yaml => self.emitter().flow_fragment(new),
        }
    }

    fn emitter(&self) -> Emitter<'d, 'n> {
        Emitter::new(self.new, KeyOrder::Given, self.layout)
    }

    /// Inserts a line below the one of an offset.
    fn insert_line(&mut self, offset: usize, line: &str) {
        let at = lines::next_line(self.old.text, offset);
        let broken = if text_of(self.old.text, ..at).ends_with('\n') { "" } else { "\n" };
        self.edit(at..at, format!("{broken}{line}\n"));
    }

    fn edit(&mut self, range: Range<usize>, text: impl Into<String>) {
        let mut text = text.into();
        // Fragments are built with plain line breaks.
        if self.newline != "\n" {
            text = text.replace('\n', self.newline);
        }
        self.edits.push(Edit { range, text });
    }
}

/// The indentation that the document uses, where it shows.
fn layout_of(document: &YamlDocument<'_>) -> Layout {
    let mut layout = KUBERNETES;
    let (mut map_step, mut list_step) = (None, None);
    let column = |offset: u32| lines::column(document.text, offset as usize);
    let is_block_map = |item: &&Item<'_>| item.value == Value::Map && item.style == Style::Block;
    for (id, _) in (0..).zip(&document.items).filter(|(_, item)| is_block_map(item)) {
        for (key, value) in document.entries(id) {
            let value = document.item(value);
            if value.style == Style::Block {
                let step = if value.value == Value::Map { &mut map_step } else { &mut list_step };
                let key = document.item(key).outer;
                // The first of each kind decides; mixed files have no single layout.
                step.get_or_insert_with(|| column(value.start).saturating_sub(column(key)));
            }
        }
        if map_step.is_some() && list_step.is_some() {
            break;
        }
    }
    // A nested map must be indented; a list need not be.
    layout.map_step = map_step.filter(|step| *step > 0).unwrap_or(layout.map_step);
    layout.list_step = list_step.unwrap_or(layout.list_step);
    layout
}
