//! `cargo xtask conformance --cel`: expressions against cel-go with the environment of Kubernetes.
//!
//! First the tests of cel-spec, then random expressions: value, error text and cost must be equal. [`generate`] writes
//! expressions, [`spec`] has the tests of cel-spec.

mod generate;
mod spec;

use std::process::ExitCode;

use kubemerge_cel::{
    Compiled, Environment,
    evaluate::{EvaluationError, Program},
    value::CelValue,
};
use kubemerge_test_support::reference::Reference;
use kubemerge_value::tree::{Arena, Value as Tree, ValueRef};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{BATCH, MAX_DIFFERENCES, Options};
use crate::rng::Rng;

/// Expressions of a run whose length is not given.
const CASES: usize = 100_000;
/// What evaluating one expression may cost in Kubernetes.
const MAX_COST: u64 = 1_000_000;
/// What both say where an expression costs more.
const COST_LIMIT: &str = "operation cancelled: actual cost limit exceeded";
/// Where answers are kept that `cargo test` compares with.
const RECORDED: &str = "conformance/cel/answers.jsonl";
/// How many random expressions are kept, and how long they may be.
const RECORDED_CASES: usize = 2_000;
const RECORDED_LENGTH: usize = 160;

/// The value of `object` in expressions.
const OBJECT: &str = r#"{"b": true, "s": "hello", "i": 3, "n": -4, "d": 2.5, "t": "2024-05-06T07:08:09.123Z",
    "nil": null, "li": [3, 1, 2], "ls": ["b", "a", "hello"], "ld": [1.5, 0.25], "l": [1, "a", 2.5, null, [1]],
    "m": {"a": 1, "b": -2, "i": 9}, "m1": {"k": 4}, "o": {"a": "oa", "i": 5, "o": {"a": "deep"}},
    "lo": [{"i": 1, "a": "x"}, {"i": 2}]}"#;

/// What an expression came to, as the reference program says it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
struct CelAnswer {
    #[serde(skip_serializing_if = "String::is_empty")]
    compile: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    program: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    value: String,
    /// What cel-go panicked with.
    #[serde(skip_serializing_if = "String::is_empty")]
    crash: String,
    cost: u64,
}

pub(super) fn run(arguments: &[String]) -> ExitCode {
    let records = arguments.iter().any(|word| word == "--record");
    let rest: Vec<String> = arguments.iter().filter(|word| *word != "--record").cloned().collect();
    let options = match Options::read(&rest) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("conformance --cel: {complaint}\n\n{}", super::HELP);
            return ExitCode::from(2);
        }
    };
    let mut reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    let done = if records { record(&options, &mut reference) } else { compare(&options, &mut reference) };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(complaint) => {
            eprintln!("conformance --cel: {complaint}");
            ExitCode::from(2)
        }
    }
}

/// What was asked, and how often the answers differed.
#[derive(Default)]
struct Tally {
    values: usize,
    errors: usize,
    refused: usize,
    /// Where cel-go panics there is nothing to compare with.
    crashes: usize,
    different: usize,
}

impl Tally {
    fn add(&mut self, text: &str, theirs: &CelAnswer, ours: &CelAnswer) {
        *match theirs {
            CelAnswer { crash, .. } if !crash.is_empty() => &mut self.crashes,
            CelAnswer { value, .. } if !value.is_empty() => &mut self.values,
            CelAnswer { error, .. } if !error.is_empty() => &mut self.errors,
            _ => &mut self.refused,
        } += 1;
        if !is_same(theirs, ours) {
            self.different += 1;
            println!("{text}\n  cel-go: {theirs:?}\n  ours:   {ours:?}\n");
        }
    }

    fn total(&self) -> usize {
        self.values + self.errors + self.refused + self.crashes
    }

    fn print(&self) {
        let Tally { values, errors, refused, crashes, different } = self;
        println!(
            "{} expressions: {values} have a value, {errors} an error, {refused} are refused",
            self.total()
        );
        println!("cel-go panics at {crashes}\ndifferent: {different}");
    }
}

/// Whether two answers are the same, but for what is known to differ: where cel-go panics while it compiles there is no
/// answer, what was spent when the limit is reached differs, some errors name types of Go, and we refuse keys of maps that
/// are addresses or optional values.
fn is_same(theirs: &CelAnswer, ours: &CelAnswer) -> bool {
    const GO_TYPE: &str = "invalid qualifier type: ";
    let both = |text: &str| theirs.error.starts_with(text) && ours.error.starts_with(text);
    let refuses_key = ours.error == "unsupported key type";
    theirs == ours || !theirs.crash.is_empty() || both(COST_LIMIT) || both(GO_TYPE) || refuses_key
}

fn compare(options: &Options, reference: &mut Reference) -> Result<usize, String> {
    let of_spec = spec::compare(reference)?;
    println!("seed {}", options.seed);
    let object = object()?;
    let mut rng = Rng::new(options.seed);
    let mut tally = Tally::default();
    while tally.total() < options.cases.unwrap_or(CASES) && tally.different < MAX_DIFFERENCES {
        let texts: Vec<String> = (0..BATCH).map(|_| generate::expression(&mut rng)).collect();
        for (text, theirs) in texts.iter().zip(ask(reference, &texts, &object)?) {
            tally.add(text, &theirs, &answer(text, &object));
        }
    }
    tally.print();
    Ok(tally.different + of_spec)
}

fn object() -> Result<Value, String> {
    serde_json::from_str(OBJECT).map_err(|error| error.to_string())
}

fn ask(reference: &mut Reference, texts: &[String], object: &Value) -> Result<Vec<CelAnswer>, String> {
    let request = |text: &String| json!({"op": "cel", "text": text, "original": object}).to_string();
    let requests: Vec<String> = texts.iter().map(request).collect();
    reference.ask(&requests)?.iter().map(|reply| result(reply)).collect()
}

/// The result of a reply.
fn result<T: serde::de::DeserializeOwned>(reply: &str) -> Result<T, String> {
    let mut reply: Value = serde_json::from_str(reply).map_err(|error| error.to_string())?;
    serde_json::from_value(reply["result"].take()).map_err(|error| format!("{error}: {reply}"))
}

/// What we make of an expression.
fn answer(text: &str, object: &Value) -> CelAnswer {
    let compiled = match Compiled::new(text, &Environment::of_admission()) {
        Ok(compiled) => compiled,
        Err(problem) => {
            let compile = problem.message().trim_start_matches("compilation failed: ").to_owned();
            return CelAnswer { compile, ..CelAnswer::default() };
        }
    };
    let program = match Program::new(&compiled) {
        Ok(program) => program,
        Err(problem) => return CelAnswer { program: problem.into(), ..CelAnswer::default() },
    };
    let arena = Arena::new();
    let tree = Tree::of_json(object, &arena);
    let object = CelValue::from(ValueRef::from(&tree));
    let evaluation = program.run(&[("object", &object)], MAX_COST);
    let cost = evaluation.cost;
    match evaluation.outcome {
        Ok(value) => CelAnswer { value: value.literal(), cost, ..CelAnswer::default() },
        Err(EvaluationError::Failed(error)) => CelAnswer { error, cost, ..CelAnswer::default() },
        Err(EvaluationError::Crashed(error)) => CelAnswer { error, cost, ..CelAnswer::default() },
        Err(EvaluationError::CostLimit) => {
            CelAnswer { error: COST_LIMIT.to_owned(), cost, ..CelAnswer::default() }
        }
    }
}

/// Keeps answers of cel-go to random expressions that are short.
fn record(options: &Options, reference: &mut Reference) -> Result<usize, String> {
    let mut texts = Vec::new();
    let mut rng = Rng::new(options.seed);
    while texts.len() < RECORDED_CASES {
        texts.push(generate::expression(&mut rng));
        texts.retain(|text| text.len() <= RECORDED_LENGTH);
    }
    texts.sort();
    texts.dedup();
    let object = object()?;
    let mut lines = format!("{}\n", json!({"object": object}));
    for (text, answer) in texts.iter().zip(ask(reference, &texts, &object)?) {
        let is_certain = answer.crash.is_empty() && answer.error != COST_LIMIT;
        if is_certain && !answer.error.starts_with("invalid qualifier type") {
            lines.push_str(&json!({"text": text, "answer": answer}).to_string());
            lines.push('\n');
        }
    }
    std::fs::write(RECORDED, lines).map_err(|error| format!("{RECORDED}: {error}"))?;
    println!("{RECORDED} is written");
    Ok(0)
}
