//! Counts of what agrees and what differs, by kind and cause.

use std::collections::BTreeMap;
use std::process::ExitCode;

use super::compare::{Answer, Cause, differences};
use super::options::Options;
use super::trial::Trial;

/// Counts of one kind and operation.
#[derive(Default)]
struct Count {
    trials: usize,
    same_status: usize,
    accepted: usize,
    same_body: usize,
    invalid: usize,
    same_causes: usize,
}

/// One way to differ.
struct Difference {
    count: usize,
    changes: String,
    request: String,
}

#[derive(Default)]
pub(super) struct Tally {
    counts: BTreeMap<String, Count>,
    differences: BTreeMap<String, Difference>,
}

impl Tally {
    pub(super) fn trials(&self) -> usize {
        self.counts.values().map(|count| count.trials).sum()
    }

    pub(super) fn add(&mut self, trial: &Trial<'_>, ours: &Answer, theirs: &Answer) {
        let place = format!("{} {}", trial.base.kind, trial.operation.word());
        let count = self.counts.entry(place.clone()).or_default();
        count.trials += 1;
        count.same_status += usize::from(ours.code() == theirs.code());
        let mut causes = Vec::new();
        match (ours, theirs) {
            (Answer::Accepted(one), Answer::Accepted(other)) => {
                causes = differences(one, other);
                count.accepted += 1;
                count.same_body += usize::from(causes.is_empty());
            }
            (Answer::Invalid(one), Answer::Invalid(other)) => {
                count.invalid += 1;
                count.same_causes += usize::from(one == other);
                causes.extend(other.difference(one).map(|cause| format!("missing {}", general(cause))));
                causes.extend(one.difference(other).map(|cause| format!("extra {}", general(cause))));
            }
            // No rule can be copied from a panic; they are listed for people to judge.
            (_, Answer::Refused(0, panic)) => {
                causes.push(format!("Kubernetes panics: {}", first_line(panic)));
            }
            (Answer::Refused(code, one), Answer::Refused(same, other)) if code == same => {
                // Kubernetes puts the name of the resource around the decoder's message.
                if !other.contains(one.as_str()) {
                    causes.push(format!("text {} should be {}", without_digits(one), without_digits(other)));
                }
            }
            _ => causes.push(other_status(ours, theirs)),
        }
        for cause in causes {
            self.note(format!("{place}: {cause}"), trial);
        }
    }

    fn note(&mut self, cause: String, trial: &Trial<'_>) {
        let example = || Difference {
            count: 0,
            changes: trial.changes.join("; "),
            request: trial.request().to_string(),
        };
        self.differences.entry(cause).or_insert_with(example).count += 1;
    }

    /// Prints the counts and the most frequent differences.
    pub(super) fn print(&self, options: &Options) -> ExitCode {
        let mut found: Vec<(&String, &Difference)> = self.differences.iter().collect();
        found.sort_by_key(|(_, difference)| std::cmp::Reverse(difference.count));
        for (cause, difference) in found.iter().take(options.show) {
            println!("{:6} {cause}\n         {}", difference.count, difference.changes);
            if options.requests {
                println!("         {}", difference.request);
            }
        }
        if found.len() > options.show {
            println!("       {} more causes: --show N", found.len() - options.show);
        }
        println!("\n{:44} {:>8} {:>8} {:>8} {:>8}", "", "objects", "status", "body", "causes");
        let mut total = Count::default();
        for (place, count) in &self.counts {
            count.print(place);
            total.add(count);
        }
        total.print("all");
        if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.trials += other.trials;
        self.same_status += other.same_status;
        self.accepted += other.accepted;
        self.same_body += other.same_body;
        self.invalid += other.invalid;
        self.same_causes += other.same_causes;
    }

    fn print(&self, place: &str) {
        let percent = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            _ => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
        };
        println!(
            "{place:44} {:>8} {:>8} {:>8} {:>8}",
            self.trials,
            percent(self.same_status, self.trials),
            percent(self.same_body, self.accepted),
            percent(self.same_causes, self.invalid),
        );
    }
}

fn other_status(ours: &Answer, theirs: &Answer) -> String {
    let tell = |answer: &Answer| match answer {
        Answer::Accepted(_) => "accepted".to_owned(),
        Answer::Invalid(causes) => causes.iter().map(general).collect::<Vec<_>>().join(" AND "),
        Answer::Refused(code, message) => format!("{code} {}", without_digits(message)),
    };
    format!("{} SHOULD BE {}", tell(ours), tell(theirs))
}

/// A cause without numbers and without the value that is wrong, so that equal ones count together.
fn general(cause: &Cause) -> String {
    let mut field = String::new();
    let mut depth = 0;
    for char in cause.field.chars() {
        depth += i32::from(char == '[');
        // What is between brackets is the number or the key of an item.
        if depth == 0 || matches!(char, '[' | ']') {
            field.push(char);
        }
        depth -= i32::from(char == ']');
    }
    format!("{} {field} {}", cause.reason, without_digits(&cause.message))
}

fn without_digits(text: &str) -> String {
    // Messages quote values, which can be of any length.
    let mut out: String = text.chars().take(200).collect();
    out.retain(|char| !char.is_ascii_digit());
    out
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
