//! The tests of cel-spec, asked of us and of cel-go with the environment of Kubernetes.

use std::collections::BTreeMap;

use kubemerge_test_support::reference::Reference;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CelAnswer, Tally, answer, ask, is_same, result};

/// A test, as the reference program reads it.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct SpecTest {
    file: String,
    section: String,
    name: String,
    text: String,
    /// The value that the specification wants, or `error`.
    wanted: String,
    /// Why it cannot be asked.
    skipped: String,
}

impl SpecTest {
    /// Whether an answer is what the specification wants.
    fn is_met(&self, answer: &CelAnswer) -> bool {
        let is_error = answer.value.is_empty();
        if self.wanted == "error" { is_error } else { self.wanted == answer.value }
    }
}

fn tests(reference: &mut Reference) -> Result<Vec<SpecTest>, String> {
    let replies = reference.ask(&[json!({"op": "cel-spec"}).to_string()])?;
    result(replies.first().map_or("", String::as_str))
}

/// Asks all tests; every section with tests that are not asked is named with the reason.
pub(super) fn compare(reference: &mut Reference) -> Result<usize, String> {
    let (asked, skipped): (Vec<SpecTest>, Vec<SpecTest>) =
        tests(reference)?.into_iter().partition(|test| test.skipped.is_empty());
    print_skipped(&skipped);
    let texts: Vec<String> = asked.iter().map(|test| test.text.clone()).collect();
    let mut tally = Tally::default();
    let (mut met, mut other): (usize, BTreeMap<String, usize>) = (0, BTreeMap::new());
    for (test, theirs) in asked.iter().zip(ask(reference, &texts, &Value::Null)?) {
        let ours = answer(&test.text, &Value::Null);
        if !is_same(&theirs, &ours) {
            println!("cel-spec {}/{}/{}", test.file, test.section, test.name);
        }
        tally.add(&test.text, &theirs, &ours);
        if test.is_met(&ours) {
            met += 1;
        } else {
            let why = if theirs.compile.is_empty() { "answers otherwise" } else { "refuses" };
            *other.entry(format!("{}/{}: Kubernetes {why}", test.file, test.section)).or_default() += 1;
        }
    }
    println!("cel-spec: {} tests asked, {met} as the specification wants", asked.len());
    other.iter().for_each(|(section, count)| println!("  {section} {count}"));
    tally.print();
    println!();
    Ok(tally.different)
}

fn print_skipped(skipped: &[SpecTest]) {
    let mut sections: BTreeMap<String, usize> = BTreeMap::new();
    for test in skipped {
        *sections.entry(format!("{}/{}: {}", test.file, test.section, test.skipped)).or_default() += 1;
    }
    println!("cel-spec: {} tests are not asked", skipped.len());
    sections.iter().for_each(|(section, count)| println!("  {count} of {section}"));
}
