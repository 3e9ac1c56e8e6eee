//! What became of each test of a suite.

use std::collections::BTreeMap;

/// The result of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
}

/// The results of a suite by the names of its tests; skipped tests are left out.
#[derive(Debug, Default)]
pub(super) struct Outcomes(BTreeMap<String, Outcome>);

impl Outcomes {
    /// Adds a result; of a test that ran several times the worst counts.
    pub(super) fn add(&mut self, name: String, outcome: Outcome) {
        let held = self.0.entry(name).or_insert(outcome);
        if outcome == Outcome::Failed {
            *held = outcome;
        }
    }

    pub(super) fn passed(&self) -> usize {
        self.0.values().filter(|one| **one == Outcome::Passed).count()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn summary(&self, server: &str) -> String {
        format!("{} of {} tests pass on {server}", self.passed(), self.len())
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, outcome)| **outcome == Outcome::Failed).map(|(name, _)| name.as_str())
    }

    /// The tests that pass in another run and do not pass here.
    pub(super) fn missing(&self, other: &Outcomes) -> Vec<String> {
        let passed = other.0.iter().filter(|(_, outcome)| **outcome == Outcome::Passed);
        passed
            .filter(|(name, _)| self.0.get(*name) != Some(&Outcome::Passed))
            .map(|(name, _)| name.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(list: &[(&str, Outcome)]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        list.iter().for_each(|(name, outcome)| outcomes.add(name.to_string(), *outcome));
        outcomes
    }

    #[test]
    fn tests_that_pass_only_elsewhere_are_missing() {
        let ours = outcomes(&[("a", Outcome::Passed), ("b", Outcome::Failed), ("c", Outcome::Failed)]);
        let theirs = outcomes(&[
            ("a", Outcome::Passed),
            ("b", Outcome::Passed),
            ("c", Outcome::Failed),
            ("d", Outcome::Passed),
        ]);
        assert_eq!(ours.missing(&theirs), ["b", "d"]);
        assert_eq!(ours.summary("x"), "1 of 3 tests pass on x");
        assert_eq!(ours.failed().collect::<Vec<_>>(), ["b", "c"]);
    }

    #[test]
    fn the_worst_of_several_runs_counts() {
        let twice = outcomes(&[("a", Outcome::Failed), ("a", Outcome::Passed)]);
        assert_eq!(twice.failed().collect::<Vec<_>>(), ["a"]);
    }
}
