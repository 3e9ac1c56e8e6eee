//! Elements of a block list: kept, moved, cut, inserted.

use std::collections::{HashMap, VecDeque};

use kubemerge_value::part::{item_at, text_of};

use super::fingerprints;
use super::lines::{Start, column, next_line, start_of};
use super::{Context, Edit, Editor, apply_edits};
use crate::emit::Slot;
use crate::events::find_indicator;
use crate::tree::{ItemId, Value, YamlDocument};

/// Members that tell one element from another, in the order in which they are tried.
// Merge keys of built-in lists, most telling first. The schema is not known here, and a wrong guess only makes
// the diff longer.
const IDENTITIES: [&str; 9] =
    ["name", "containerPort", "port", "mountPath", "devicePath", "ip", "key", "topologyKey", "type"];

/// The lines of a list in the text.
struct Rows {
    ids: Vec<ItemId>,
    /// Offsets of the dashes.
    starts: Vec<usize>,
    ends: Vec<usize>,
    indent: usize,
}

impl Editor<'_, '_, '_> {
    /// Edits a block list element by element; `false` if its lines are not simple enough or nothing is kept.
    pub(super) fn edit_list(&mut self, old: ItemId, new: ItemId) -> bool {
        let Some(rows) = self.rows(old) else { return false };
        let wanted: Vec<ItemId> = self.new.children(new).collect();
        let sources = self.match_elements(&rows.ids, &wanted);
        let order: Vec<usize> = sources.iter().flatten().copied().collect();
        // Nothing to keep, or no line of its own for each element.
        if order.is_empty() || !self.lines_are_simple(&rows.starts) {
            return false;
        }
        if order.is_sorted() {
            self.edit_in_place(&rows, &wanted, &sources);
            return true;
        }
        let clean = start_of(self.old.text, *item_at(&rows.starts, 0)) == Start::Clean;
        // The first element of a compact list shares its line with a dash, so lines cannot change places.
        if clean {
            self.rearrange(&rows, &wanted, &sources);
        }
        clean
    }

    fn rows(&self, list: ItemId) -> Option<Rows> {
        let text = self.old.text;
        let ids: Vec<ItemId> = self.old.children(list).collect();
        let ends: Vec<usize> = ids.iter().map(|id| self.old.item(*id).end as usize).collect();
        let first = self.old.item(list).start as usize;
        // The parser reports where values start, not where their dashes are.
        let rest = ends.iter().take(ids.len().saturating_sub(1)).map(|end| find_indicator(text, *end, b"-"));
        let starts: Option<Vec<usize>> = std::iter::once(Some(first)).chain(rest).collect();
        Some(Rows { ids, starts: starts?, ends, indent: column(text, first) })
    }

    fn edit_in_place(&mut self, rows: &Rows, wanted: &[ItemId], sources: &[Option<usize>]) {
        let kept = successors(rows.ids.len(), wanted, sources);
        for (index, new) in kept.iter().enumerate() {
            self.edit_element(rows, index, *new);
        }
        self.cut_runs(&rows.starts, &rows.ends, |index| item_at(&kept, index).is_none());
        let mut previous = None;
        for (new, source) in wanted.iter().zip(sources) {
            match (source, previous) {
                (Some(source), _) => previous = Some(*source),
                (None, Some(previous)) => {
                    let line = self.element_line(*new, rows.indent);
                    self.insert_line(*item_at(&rows.ends, previous), &line);
                }
                (None, None) => self.insert_first(rows, *new, kept.iter().position(Option::is_some)),
            }
        }
    }

    /// Inserts an element before the first one that is kept.
    fn insert_first(&mut self, rows: &Rows, new: ItemId, first_kept: Option<usize>) {
        let Some(index) = first_kept else { return };
        let (text, indent) = (self.element_text(new, rows.indent), rows.indent);
        let dash = *item_at(&rows.starts, index);
        // The first dash stays on its line, and the old first element moves down.
        if start_of(self.old.text, *item_at(&rows.starts, 0)) == Start::Compact {
            self.edit(dash..dash, format!("{text}\n{}", " ".repeat(indent)));
        } else {
            let at = self.entry_start(index, &rows.starts, &rows.ends);
            self.edit(at..at, format!("{}{text}\n", " ".repeat(indent)));
        }
    }

    fn edit_element(&mut self, rows: &Rows, index: usize, new: Option<ItemId>) {
        let id = *item_at(&rows.ids, index);
        match new {
            Some(new) => {
                let (slot, start) = (Slot::Compact(rows.indent), *item_at(&rows.starts, index) + 1);
                self.descend(id, new, Context::Slot { slot, start });
            }
            None => self.mark_stale(id..self.old.item(id).next),
        }
    }

    /// Writes the elements' lines in their new order.
    fn rearrange(&mut self, rows: &Rows, wanted: &[ItemId], sources: &[Option<usize>]) {
        let text = self.old.text;
        let Some(end) = rows.ends.last().map(|last| next_line(text, *last)) else { return };
        let starts: Vec<usize> =
            (0..rows.ids.len()).map(|index| self.entry_start(index, &rows.starts, &rows.ends)).collect();
        let mut chunks: Vec<String> = Vec::new();
        for (index, new) in successors(rows.ids.len(), wanted, sources).into_iter().enumerate() {
            // Each element is edited by itself, because it moves with its edits.
            let outer = std::mem::take(&mut self.edits);
            self.edit_element(rows, index, new);
            let mut edits = std::mem::replace(&mut self.edits, outer);
            // Insertions before replacements at the same place.
            edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
            let stop = starts.get(index + 1).copied().unwrap_or(end);
            chunks.push(apply_within(text, *item_at(&starts, index)..stop, edits));
        }
        let mut lines = String::new();
        for (new, source) in wanted.iter().zip(sources) {
            match source {
                Some(source) => lines += item_at(&chunks, *source).as_str(),
                None => lines += &self.element_line(*new, rows.indent).replace('\n', self.newline),
            }
            // The last element of the text may lack its line break.
            if !lines.ends_with('\n') {
                lines += self.newline;
            }
        }
        self.edits.push(Edit { range: *item_at(&starts, 0)..end, text: lines });
    }

    fn element_line(&self, new: ItemId, indent: usize) -> String {
        " ".repeat(indent) + &self.element_text(new, indent)
    }

    fn element_text(&self, new: ItemId, indent: usize) -> String {
        let text = self.emitter().fragment(new, Slot::Compact(indent), indent + 1);
        format!("-{}", text.trim_end_matches('\n'))
    }

    /// For each new element the old one it goes on from: an equal one, else one of the same identity, else
    /// the one at the same place.
    pub(super) fn match_elements(&self, old: &[ItemId], new: &[ItemId]) -> Vec<Option<usize>> {
        let mut sources = vec![None; new.len()];
        let mut free = vec![true; old.len()];
        let old_fingerprint = |id: &ItemId| Some(fingerprints::at(&self.old_fingerprints, *id));
        let new_fingerprint = |id: &ItemId| Some(fingerprints::at(&self.new_fingerprints, *id));
        // Equal elements first, then elements with the same identity, then those at the same position.
        pair(&mut sources, &mut free, old.iter().map(old_fingerprint), new.iter().map(new_fingerprint));
        let old_identity = |id: &ItemId| identity(self.old, &self.old_fingerprints, *id);
        let new_identity = |id: &ItemId| identity(self.new, &self.new_fingerprints, *id);
        pair(&mut sources, &mut free, old.iter().map(old_identity), new.iter().map(new_identity));
        for (index, (source, free)) in sources.iter_mut().zip(free).enumerate() {
            if source.is_none() && free {
                *source = Some(index);
            }
        }
        sources
    }
}

/// For each old element the new one that goes on from it.
pub(super) fn successors(count: usize, wanted: &[ItemId], sources: &[Option<usize>]) -> Vec<Option<ItemId>> {
    let mut successors = vec![None; count];
    for (new, source) in wanted.iter().zip(sources) {
        if let Some(successor) = source.and_then(|source| successors.get_mut(source)) {
            *successor = Some(*new);
        }
    }
    successors
}

/// Pairs what is left of both sides by equal tokens, each side in its order.
fn pair<T: std::hash::Hash + Eq>(
    sources: &mut [Option<usize>],
    free: &mut [bool],
    old: impl Iterator<Item = Option<T>>,
    new: impl Iterator<Item = Option<T>>,
) {
    let mut places: HashMap<T, VecDeque<usize>> = HashMap::new();
    for (index, (token, _)) in old.zip(&*free).enumerate().filter(|(_, (_, free))| **free) {
        if let Some(token) = token {
            places.entry(token).or_default().push_back(index);
        }
    }
    for (source, token) in sources.iter_mut().zip(new).filter(|(source, _)| source.is_none()) {
        if let Some(index) = token.and_then(|token| places.get_mut(&token)?.pop_front()) {
            *source = Some(index);
            if let Some(free) = free.get_mut(index) {
                *free = false;
            }
        }
    }
}

/// The first telling member of a map and the fingerprint of its value.
fn identity(document: &YamlDocument<'_>, fingerprints: &[u64], id: ItemId) -> Option<(usize, u64)> {
    let id = document.resolve_alias(id);
    if document.item(id).value != Value::Map {
        return None;
    }
    let rank = |key| IDENTITIES.iter().position(|name| document.key_text(key) == *name);
    let members = document
        .entries(id)
        .filter_map(|(key, value)| Some((rank(key)?, fingerprints::at(fingerprints, value))));
    members.min_by_key(|(rank, _)| *rank)
}

/// A slice of the text with the edits that fall into it applied.
fn apply_within(text: &str, range: std::ops::Range<usize>, mut edits: Vec<Edit>) -> String {
    for edit in &mut edits {
        edit.range = edit.range.start.saturating_sub(range.start)..edit.range.end.saturating_sub(range.start);
    }
    apply_edits(text_of(text, range), &edits)
}
