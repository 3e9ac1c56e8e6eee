//! Members of a block map: kept, cut, inserted.

use std::ops::Range;

use kubemerge_value::part::{item_at, text_of};

use super::lines::{Start, column, comments_start, line_start, next_line, start_of};
use super::{Context, Editor};
use crate::emit::Slot;
use crate::events::find_indicator;
use crate::tree::ItemId;

impl Editor<'_, '_, '_> {
    /// Edits a block map member by member; `false` if its lines are not simple enough or nothing is kept.
    pub(super) fn edit_map(&mut self, old: ItemId, new: ItemId) -> bool {
        let entries: Vec<_> = self.old.entries(old).collect();
        let wanted = self.new_members(new);
        let starts: Vec<usize> = entries.iter().map(|(key, _)| self.old.item(*key).outer as usize).collect();
        let ends: Vec<usize> = entries.iter().map(|(_, value)| self.old.item(*value).end as usize).collect();
        let kept: Vec<Option<ItemId>> = entries
            .iter()
            .map(|(key, _)| wanted.get(&*self.old.key_text(*key)).map(|(_, value)| *value))
            .collect();
        // `{a: 1}` inside a block, or nothing that could stay.
        if !self.lines_are_simple(&starts) || kept.iter().all(Option::is_none) {
            return false;
        }
        let Some(first) = starts.first() else { return false };
        let indent = column(self.old.text, *first);
        for ((key, value), kept) in entries.iter().zip(&kept) {
            match kept {
                Some(new) => {
                    let end = self.old.item(*key).end as usize;
                    // An explicit key (`? a`) has its colon elsewhere.
                    let Some(colon) = find_indicator(self.old.text, end, b":") else { return false };
                    let (slot, start) = (Slot::Member(indent), colon + 1);
                    self.descend(*value, *new, Context::Slot { slot, start });
                }
                None => self.mark_stale(*key..self.old.item(*value).next),
            }
        }
        self.cut_runs(&starts, &ends, |index| item_at(&kept, index).is_none());
        self.append_members(old, new, indent, &kept, &ends);
        true
    }

    fn append_members(
        &mut self,
        old: ItemId,
        new: ItemId,
        indent: usize,
        kept: &[Option<ItemId>],
        ends: &[usize],
    ) {
        let present: std::collections::HashSet<_> =
            self.old.entries(old).map(|(key, _)| self.old.key_text(key)).collect();
        let mut lines = Vec::new();
        for (key, value) in self.new.entries(new) {
            if !present.contains(&*self.new.key_text(key)) {
                let member = self.emitter().member_fragment(key, value, indent);
                lines.push(" ".repeat(indent) + member.trim_end_matches('\n'));
            }
        }
        // New members come last, so that unchanged lines stay where they are.
        let last = kept.iter().rposition(Option::is_some).unwrap_or(0);
        if !lines.is_empty() {
            self.insert_line(*item_at(ends, last), &lines.join("\n"));
        }
    }

    /// Every entry begins a line, the first one perhaps after dashes.
    pub(super) fn lines_are_simple(&self, starts: &[usize]) -> bool {
        let text = self.old.text;
        starts.iter().enumerate().all(|(index, start)| match start_of(text, *start) {
            Start::Clean => true,
            // Only the first entry can follow a dash.
            Start::Compact => index == 0,
            Start::Inside => false,
        })
    }

    /// Cuts runs of entries with their lines and comments; at least one entry is kept.
    pub(super) fn cut_runs(&mut self, starts: &[usize], ends: &[usize], is_cut: impl Fn(usize) -> bool) {
        let mut index = 0;
        while index < starts.len() {
            let run = index..(index..starts.len()).find(|at| !is_cut(*at)).unwrap_or(starts.len());
            if !run.is_empty() {
                let range = self.run_range(&run, starts, ends);
                self.edit(range, "");
            }
            index = run.end + 1;
        }
    }

    fn run_range(&self, run: &Range<usize>, starts: &[usize], ends: &[usize]) -> Range<usize> {
        let text = self.old.text;
        let after = next_line(text, *item_at(ends, run.end - 1));
        let first = *item_at(starts, 0);
        if run.start == 0 && start_of(text, first) == Start::Compact {
            // The next entry, or its comment, moves up after the dash.
            let rest = text_of(text, after..);
            return first..after + (rest.len() - rest.trim_start().len());
        }
        self.entry_start(run.start, starts, ends)..after
    }

    /// Where an entry begins with its comments. Those above the first entry are about the document.
    pub(super) fn entry_start(&self, index: usize, starts: &[usize], ends: &[usize]) -> usize {
        let text = self.old.text;
        let bound = match index.checked_sub(1) {
            Some(previous) => next_line(text, *item_at(ends, previous)),
            None if starts.first() == Some(&(self.old.item(0).start as usize)) => {
                line_start(text, self.old.item(0).start as usize)
            }
            None => 0,
        };
        comments_start(text, *item_at(starts, index), bound)
    }
}
