//! Members and elements between braces or brackets, of YAML or JSON: kept, cut, inserted.

use kubemerge_value::part::{item_at, text_of};

use super::{Context, Editor};
use crate::tree::{ItemId, Source};

/// The text between the brackets of a flow collection.
struct Parts {
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// After the opening bracket.
    inside: usize,
    /// For each part the new value it goes on as.
    kept: Vec<Option<ItemId>>,
}

impl Editor<'_, '_, '_> {
    /// Edits a flow map; `false` if nothing is kept.
    pub(super) fn edit_flow_map(&mut self, old: ItemId, new: ItemId) -> bool {
        let wanted = self.new_members(new);
        let entries: Vec<_> = self.old.entries(old).collect();
        let keep = |(key, _): &(ItemId, ItemId)| Some(wanted.get(&*self.old.key_text(*key))?.1);
        let kept: Vec<Option<ItemId>> = entries.iter().map(keep).collect();
        let parts = self.parts(old, entries.iter().map(|(key, value)| (*key, *value)), kept);
        if !self.edit_parts(&parts, &entries) {
            return false;
        }
        let present: std::collections::HashSet<_> =
            entries.iter().map(|(key, _)| self.old.key_text(*key)).collect();
        // New members look like the first one.
        let Some((first_key, first_value)) = entries.first() else { return false };
        let colon = self.colon(*first_key, *first_value);
        let fresh: Vec<String> = self
            .new
            .entries(new)
            .filter(|(key, _)| !present.contains(&*self.new.key_text(*key)))
            .map(|(key, value)| format!("{}{colon}{}", self.flow_text(key), self.flow_text(value)))
            .collect();
        // After the last member that stays: text around removed ones is cut.
        let last = parts.kept.iter().rposition(Option::is_some).unwrap_or(0);
        self.insert_parts(&parts, Some(last), &fresh);
        true
    }

    /// Edits a flow list; `false` if nothing is kept or elements have moved.
    pub(super) fn edit_flow_list(&mut self, old: ItemId, new: ItemId) -> bool {
        let ids: Vec<ItemId> = self.old.children(old).collect();
        let wanted: Vec<ItemId> = self.new.children(new).collect();
        let sources = self.match_elements(&ids, &wanted);
        let kept = super::list::successors(ids.len(), &wanted, &sources);
        let entries: Vec<_> = ids.iter().map(|id| (*id, *id)).collect();
        let parts = self.parts(old, entries.iter().copied(), kept);
        // Moved elements would have to carry their comments; the list is then written anew.
        if !sources.iter().flatten().is_sorted() || !self.edit_parts(&parts, &entries) {
            return false;
        }
        let mut previous = None;
        for (new, source) in wanted.iter().zip(&sources) {
            if let Some(source) = source {
                previous = Some(*source);
            } else {
                let text = self.flow_text(*new);
                self.insert_parts(&parts, previous, &[text]);
            }
        }
        true
    }

    fn parts(
        &self,
        collection: ItemId,
        entries: impl Iterator<Item = (ItemId, ItemId)> + Clone,
        kept: Vec<Option<ItemId>>,
    ) -> Parts {
        let inside = self.old.item(collection).start as usize + 1;
        let starts = entries.clone().map(|(first, _)| self.old.item(first).outer as usize).collect();
        let ends = entries.map(|(_, last)| self.old.item(last).end as usize).collect();
        Parts { starts, ends, inside, kept }
    }

    /// Descends into what is kept and cuts what is not.
    fn edit_parts(&mut self, parts: &Parts, entries: &[(ItemId, ItemId)]) -> bool {
        // Nothing stays to attach new parts to.
        if parts.kept.iter().all(Option::is_none) {
            return false;
        }
        for ((first, value), kept) in entries.iter().zip(&parts.kept) {
            match kept {
                Some(new) => self.descend(*value, *new, Context::Flow),
                // Aliases of anchors that are cut must be written out.
                None => self.mark_stale(*first..self.old.item(*value).next),
            }
        }
        let mut index = 0;
        while index < entries.len() {
            let stop = (index..entries.len())
                .find(|at| item_at(&parts.kept, *at).is_some())
                .unwrap_or(entries.len());
            match (index, stop) {
                (start, stop) if start == stop => {}
                // What leads goes with the comma after it, what follows with the comma before it.
                (0, stop) => self.edit(*item_at(&parts.starts, 0)..*item_at(&parts.starts, stop), ""),
                (start, stop) => {
                    self.edit(*item_at(&parts.ends, start - 1)..*item_at(&parts.ends, stop - 1), "");
                }
            }
            index = stop + 1;
        }
        true
    }

    /// Inserts parts after a kept one, or before the first that is kept.
    fn insert_parts(&mut self, parts: &Parts, after: Option<usize>, fresh: &[String]) {
        let glue = self.glue(parts).to_owned();
        for text in fresh {
            if let Some(after) = after {
                let at = *item_at(&parts.ends, after);
                self.edit(at..at, format!(",{glue}{text}"));
            } else {
                let first = parts.kept.iter().position(Option::is_some).unwrap_or(0);
                let at = *item_at(&parts.starts, first);
                self.edit(at..at, format!("{text},{glue}"));
            }
        }
    }

    /// The white space between a comma and the next part, as the text has it.
    fn glue(&self, parts: &Parts) -> &str {
        let text = self.old.text;
        let between = match *parts.starts {
            [_, second, ..] => text_of(text, *item_at(&parts.ends, 0)..second),
            [first] => text_of(text, parts.inside.min(first)..first),
            [] => "",
        };
        let glue = between.trim_start().strip_prefix(',').unwrap_or(between);
        // The space after an opening bracket says nothing about the space after commas.
        let from_bracket = parts.starts.len() == 1 && !glue.contains('\n');
        if from_bracket || !glue.trim().is_empty() { " " } else { glue }
    }

    /// The text between key and value.
    fn colon(&self, key: ItemId, value: ItemId) -> &str {
        let between =
            text_of(self.old.text, self.old.item(key).end as usize..self.old.item(value).outer as usize);
        // In YAML a colon needs a space after it, unless the key is quoted.
        if between == ":" && self.old.source == Source::Json { ":" } else { ": " }
    }
}
