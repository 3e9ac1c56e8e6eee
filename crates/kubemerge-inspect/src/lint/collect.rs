//! Collects the findings of one text, up to a limit: each has to be looked up in the text, which takes time.

use super::rule::{MORE_FINDINGS, Rule};
use crate::finding::{Finding, FindingSeverity, Location};

/// The most findings of one text.
// A file with more has one cause, and locating each costs a walk.
const MAX_FINDINGS: usize = 100;

/// A finding without its place.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) rule: &'static str,
    pub(super) severity: FindingSeverity,
    pub(super) message: String,
    pub(super) reason: Option<String>,
    pub(super) help: Option<String>,
    pub(super) related: Vec<Location>,
}

impl Draft {
    /// A finding of a rule.
    pub(super) fn new(rule: Rule, message: impl Into<String>) -> Draft {
        Draft {
            rule: rule.code,
            severity: rule.severity,
            message: message.into(),
            reason: rule.reason.map(str::to_owned),
            help: rule.help.map(str::to_owned),
            related: Vec::new(),
        }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Draft {
        Draft { help: Some(help.into()), ..self }
    }

    pub(super) fn at(self, location: Location) -> Finding {
        let Draft { rule, severity, message, reason, help, related } = self;
        Finding { rule, severity, message, reason, help, location, related }
    }
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Findings {
    shown: Vec<Finding>,
    hidden: usize,
    /// The place of the first one that is not shown.
    first_hidden: Option<Location>,
}

impl Findings {
    /// Takes a finding; its place is looked up only where it is needed.
    pub(super) fn add(&mut self, draft: Draft, place: impl FnOnce() -> Location) {
        if self.shown.len() < MAX_FINDINGS {
            self.shown.push(draft.at(place()));
            return;
        }
        self.hidden += 1;
        // Only the first is located.
        self.first_hidden.get_or_insert_with(place);
    }

    /// Whether there is a finding of a rule.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.shown.iter().any(|finding| finding.rule == rule.code)
    }

    /// Whether there is a finding of one of some rules at a place.
    pub(super) fn has_at(&self, rules: &[Rule], place: &Location) -> bool {
        let is_of = |finding: &&Finding| rules.iter().any(|rule| finding.rule == rule.code);
        self.shown.iter().filter(is_of).any(|finding| finding.location.range.start == place.range.start)
    }

    /// The findings, and how many more there are.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        if let Some(location) = self.first_hidden {
            let message = format!("from here on there are more findings ({})", self.hidden);
            self.shown.push(Draft::new(MORE_FINDINGS, message).at(location));
        }
        self.shown
    }
}
