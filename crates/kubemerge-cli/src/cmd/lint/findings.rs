//! Collects the findings of one text, up to a limit: each has to be looked up in the text, which takes time.

use super::rule::Rule;
use crate::report::{Excerpt, Notice};

/// The most findings of one text that are shown.
const MAX_FINDINGS: usize = 100;

/// What was found so far.
#[derive(Default)]
pub(super) struct Findings {
    shown: Vec<Notice>,
    hidden: usize,
    /// Where the first of those is that are not shown.
    first_hidden: Option<Excerpt>,
}

impl Findings {
    /// Takes a finding; its place is looked up only where it is needed.
    pub(super) fn add(&mut self, notice: Notice, place: impl FnOnce() -> Excerpt) {
        if self.shown.len() < MAX_FINDINGS {
            self.shown.push(notice.at(place()));
            return;
        }
        self.hidden += 1;
        self.first_hidden.get_or_insert_with(place);
    }

    /// All that is shown, and how much more there is.
    pub(super) fn finish(mut self) -> Vec<Notice> {
        if let Some(excerpt) = self.first_hidden {
            let title = format!("from here on there are more findings ({})", self.hidden);
            self.shown.push(Rule::MoreFindings.notice(title).at(excerpt));
        }
        self.shown
    }
}
