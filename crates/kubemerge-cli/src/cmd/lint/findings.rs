//! Collects what is found in one text, up to a limit: nobody reads thousands of findings, and each has to be
//! looked up in the text.

use super::rule::Rule;
use crate::excerpt::Excerpt;
use crate::notice::Notice;

/// The most findings of one text that are told.
const MOST: usize = 100;

/// What was found so far.
#[derive(Default)]
pub(super) struct Findings {
    told: Vec<Notice>,
    untold: usize,
    /// Where the first of those is that are not told.
    first_untold: Option<Excerpt>,
}

impl Findings {
    /// Takes a finding; its place is looked up only where it is needed.
    pub(super) fn add(&mut self, notice: Notice, place: impl FnOnce() -> Excerpt) {
        if self.told.len() < MOST {
            self.told.push(notice.at(place()));
            return;
        }
        self.untold += 1;
        self.first_untold.get_or_insert_with(place);
    }

    /// All that is told, and how much more there is.
    pub(super) fn finish(mut self) -> Vec<Notice> {
        if let Some(excerpt) = self.first_untold {
            let title = format!("from here on there are more findings ({})", self.untold);
            self.told.push(Rule::MoreFindings.notice(title).at(excerpt));
        }
        self.told
    }
}
