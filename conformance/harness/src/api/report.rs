//! Counts comparisons by area and differences by cause.

use std::collections::BTreeMap;

use super::{
    difference::Compared,
    exchange::{Answers, Call},
};

/// Counts of one area.
#[derive(Default, Clone, Copy)]
struct Counts {
    requests: usize,
    same_status: usize,
    both_accept: usize,
    same_accepted_body: usize,
    same_body: usize,
    invalid: usize,
    same_causes: usize,
    real_accepts: usize,
    we_refuse: usize,
}

struct Reason {
    count: usize,
    kinds: BTreeMap<String, usize>,
    example: String,
}

/// Kinds that are named with a cause.
const MAX_KINDS: usize = 4;

impl Reason {
    /// The kinds that have it most often.
    fn most_frequent_kinds(&self) -> String {
        let mut kinds: Vec<(&String, &usize)> = self.kinds.iter().collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), (*kind).clone()));
        let named: Vec<String> =
            kinds.iter().take(MAX_KINDS).map(|(kind, count)| format!("{kind} {count}")).collect();
        format!("{} kinds: {}", kinds.len(), named.join(", "))
    }
}

/// Everything a run found.
#[derive(Default)]
pub(crate) struct Report {
    areas: BTreeMap<&'static str, Counts>,
    reasons: BTreeMap<String, Reason>,
    /// Differences that DIFFERENCES.md wants.
    wanted: BTreeMap<String, usize>,
}

/// Characters of a body that an example shows.
const MAX_EXAMPLE: usize = 1500;

impl Report {
    /// How many differences were found so far.
    pub(crate) fn differences(&self) -> usize {
        self.reasons.values().map(|reason| reason.count).sum()
    }

    /// Counts one comparison.
    pub(crate) fn add(
        &mut self,
        area: &'static str,
        kind: &str,
        call: &Call,
        answers: &Answers,
        compared: &Compared,
    ) {
        let wanted: Vec<String> =
            compared.reasons.iter().filter(|reason| is_wanted(reason, kind)).cloned().collect();
        // One wanted difference excuses the request: others may follow from it.
        if !wanted.is_empty() {
            for reason in wanted {
                *self.wanted.entry(reason).or_default() += 1;
            }
            return;
        }
        self.areas.entry(area).or_default().add(compared);
        for reason in &compared.reasons {
            let entry = self.reasons.entry(format!("{area} {reason}")).or_insert_with(|| Reason {
                count: 0,
                kinds: BTreeMap::new(),
                // The first request that shows it.
                example: example(call, answers),
            });
            entry.count += 1;
            *entry.kinds.entry(kind.to_string()).or_default() += 1;
        }
    }

    pub(crate) fn requests(&self) -> usize {
        self.areas.values().map(|counts| counts.requests).sum()
    }

    /// Whether everything was the same.
    pub(crate) fn is_clean(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The most frequent causes with an example each.
    pub(crate) fn print_reasons(&self, most: usize) {
        let mut sorted: Vec<(&String, &Reason)> = self.reasons.iter().collect();
        sorted.sort_by_key(|(key, reason)| (std::cmp::Reverse(reason.count), (*key).clone()));
        for (key, reason) in sorted.iter().take(most) {
            println!(
                "{:6}  {key}\n        {}\n{}\n",
                reason.count,
                reason.most_frequent_kinds(),
                reason.example
            );
        }
        println!("{} causes, {} wanted differences", sorted.len(), self.wanted.values().sum::<usize>());
    }

    /// All causes, one per line, for tools.
    pub(crate) fn causes(&self) -> String {
        let mut sorted: Vec<(&String, &Reason)> = self.reasons.iter().collect();
        sorted.sort_by_key(|(key, reason)| (std::cmp::Reverse(reason.count), (*key).clone()));
        sorted
            .iter()
            .map(|(key, reason)| {
                format!(
                    "{}\t{key}\t{}\t{}\n",
                    reason.count,
                    reason.most_frequent_kinds(),
                    reason.example.replace('\n', " ")
                )
            })
            .collect()
    }

    /// The percentages by area.
    pub(crate) fn print_table(&self) {
        println!(
            "{:<14} {:>8} {:>12} {:>12} {:>16} {:>14} {:>14}",
            "area",
            "requests",
            "same status",
            "same body",
            "body if accepted",
            "causes of 422",
            "refused wrongly"
        );
        for (area, counts) in &self.areas {
            println!("{area:<14} {counts}");
        }
        let all = self.areas.values().fold(Counts::default(), |sum, counts| sum.plus(*counts));
        println!("{:<14} {all}", "all");
    }
}

impl Counts {
    fn add(&mut self, compared: &Compared) {
        self.requests += 1;
        self.same_status += usize::from(compared.same_status);
        self.same_body += usize::from(compared.same_status && compared.same_body);
        self.both_accept += usize::from(compared.both_accept);
        self.same_accepted_body += usize::from(compared.both_accept && compared.same_body);
        // Of these only, since the causes of other refusals are texts.
        self.invalid += usize::from(compared.real_is_invalid);
        self.same_causes += usize::from(compared.same_causes == Some(true));
        self.real_accepts += usize::from(compared.real_accepts);
        // The worst difference: a test would fail that passes in a cluster.
        self.we_refuse += usize::from(compared.real_accepts && !compared.both_accept);
    }

    fn plus(self, other: Counts) -> Counts {
        Counts {
            requests: self.requests + other.requests,
            same_status: self.same_status + other.same_status,
            both_accept: self.both_accept + other.both_accept,
            same_accepted_body: self.same_accepted_body + other.same_accepted_body,
            same_body: self.same_body + other.same_body,
            invalid: self.invalid + other.invalid,
            same_causes: self.same_causes + other.same_causes,
            real_accepts: self.real_accepts + other.real_accepts,
            we_refuse: self.we_refuse + other.we_refuse,
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |part: usize, whole: usize| match whole {
            0 => "-".to_string(),
            whole => format!("{:.2} %", part as f64 * 100.0 / whole as f64),
        };
        write!(
            out,
            "{:>8} {:>12} {:>12} {:>16} {:>14} {:>14}",
            self.requests,
            percent(self.same_status, self.requests),
            percent(self.same_body, self.requests),
            percent(self.same_accepted_body, self.both_accept),
            percent(self.same_causes, self.invalid),
            format!("{}/{}", self.we_refuse, self.real_accepts),
        )
    }
}

fn example(call: &Call, answers: &Answers) -> String {
    let cut = |text: &str| text.chars().take(MAX_EXAMPLE).collect::<String>();
    let answer = |answer: &crate::connection::Answer| {
        format!("{} {}", answer.status, cut(String::from_utf8_lossy(&answer.body).trim_end()))
    };
    format!(
        "        {} {} {}\n        there {}\n        here  {}",
        call.method,
        call.path,
        cut(&call.body),
        answer(&answers.real),
        answer(&answers.ours)
    )
}

/// The entries of DIFFERENCES.md's section about the API server: "- `start of a cause`: reason".
fn is_wanted(reason: &str, kind: &str) -> bool {
    static WANTED: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let text = std::fs::read_to_string(kubemerge_test_support::root().join("conformance/DIFFERENCES.md"))
            .unwrap_or_default();
        let section =
            text.split("\n## ").find(|section| section.starts_with("API server")).unwrap_or_default();
        let entries = section.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next());
        entries.map(str::to_string).collect()
    });
    let with_kind = format!("{kind} {reason}");
    wanted.iter().any(|start| reason.starts_with(start) || with_kind.starts_with(start))
}
