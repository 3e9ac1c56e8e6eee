//! Replaces one value by another, and spares the comments around it.

use kubemerge_value::part::text_of;

use super::lines::{line_end, line_start, prefix};
use super::{Context, Editor};
use crate::emit::Slot;
use crate::tree::{ItemId, Source, Style, Value};

impl Editor<'_, '_, '_> {
    pub(super) fn replace(&mut self, old: ItemId, new: ItemId, context: Context) {
        self.mark_stale(old..self.old.item(old).next);
        let range = self.old.item(old).outer as usize..self.old.item(old).end as usize;
        match context {
            // A JSON text stays JSON.
            _ if self.old.source == Source::Json => self.edit(range, self.flow_text(new)),
            Context::Flow => {
                let text = self.inline_text(old, new).unwrap_or_else(|| self.emitter().flow_fragment(new));
                self.edit(range, text);
            }
            Context::Root => self.replace_root(new),
            Context::Slot { slot, start } => self.replace_in_slot(old, new, slot, start),
        }
    }

    /// Writes the whole document anew.
    pub(super) fn replace_root(&mut self, new: ItemId) {
        self.edits.clear();
        let text = self.old.text;
        let root = self.old.item(0);
        let mut start = root.outer as usize;
        // Indentation of the root would shift the first line of the new value only.
        if prefix(text, start).trim().is_empty() {
            start = line_start(text, start);
        }
        let end = root.end as usize;
        if self.old.source == Source::Json {
            return self.edit(start..end, self.flow_text(new));
        }
        // Only then may a block scalar at the end keep its trailing line breaks.
        let is_last = text_of(text, end..self.old.range.end).trim().is_empty();
        if is_last {
            let written = self.emitter().root(new);
            self.edit(start..self.old.range.end, written);
        } else {
            let written = self.emitter().root_fragment(new);
            let written = written.trim_end_matches('\n');
            // A comment after the old value would end up in the last line of the new one.
            let end = if written.contains('\n') { line_end(text, end) } else { end };
            self.edit(start..end, written);
        }
    }

    fn replace_in_slot(&mut self, old: ItemId, new: ItemId, slot: Slot, start: usize) {
        let text = self.old.text;
        let item = self.old.item(old);
        let (outer, end) = (item.outer as usize, item.end as usize);
        let column = start - line_start(text, start);
        let fragment = match self.inline_text(old, new) {
            Some(inline) => format!(" {inline}"),
            None => self.emitter().fragment(new, slot, column),
        };
        let trailing = line_end(text, end);
        // A block at the very end of the text needs its last line break.
        let fragment =
            if trailing == text.len() { fragment.as_str() } else { fragment.trim_end_matches('\n') };
        let (head, tail) = fragment.split_at(fragment.find('\n').unwrap_or(fragment.len()));
        let gap = text_of(text, start..outer);
        let has_comment = text_of(text, end..trailing).contains('#');
        match gap.find('\n') {
            // `key: # comment` keeps its comment; one after the old value goes if lines follow it.
            Some(newline) if gap.contains('#') => {
                self.edit(start..start, head);
                let comment_end = line_end(text, start).min(start + newline);
                self.edit(comment_end..if tail.is_empty() { end } else { trailing }, tail);
            }
            // On the same line: the space before the value and the comment after it stay.
            None if tail.is_empty() && !gap.is_empty() => self.edit(outer..end, head.trim_start()),
            _ if tail.is_empty() => self.edit(start..end, head),
            _ if has_comment => {
                self.edit(start..end, head);
                self.edit(trailing..trailing, tail);
            }
            // Spaces after the old value must not become part of a block.
            _ => self.edit(start..trailing, fragment),
        }
    }

    /// The text of a value that stays on one line in the manner of its predecessor: a string in the same
    /// quotes, a collection in braces or brackets.
    fn inline_text(&self, old: ItemId, new: ItemId) -> Option<String> {
        let item = self.old.item(old);
        match (&self.new.item(new).value, item.style) {
            // Strings keep their quotes, and other values keep their place on the line.
            (Value::String(text), Style::Quoted) => {
                let quote = text_of(self.old.text, item.span()).chars().next()?;
                Some(self.emitter().quoted_fragment(text, quote))
            }
            // `{}` and `[]` say nothing about style: most users want a block once there is content.
            (Value::Map | Value::List, Style::Flow) if item.next > old + 1 => {
                Some(self.emitter().flow_fragment(new))
            }
            (Value::Map | Value::List | Value::String(_), _) => None,
            (_, Style::Block) => None,
            _ => Some(self.emitter().flow_fragment(new)),
        }
    }
}
