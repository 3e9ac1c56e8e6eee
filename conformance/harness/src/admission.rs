//! `cargo xtask conformance --kinds`: objects of the built-in kinds, asked of Kubernetes' own strategies and of
//! `kubemerge_kinds::admit`.
//!
//! Valid objects are changed at random, sent to the oracle (Kubernetes' registries in a process of their own) and
//! to our rules. What differs is counted by kind and cause, each with one example.

mod compare;
mod mutate;
mod objects;
mod operation;
mod options;
mod oracle;
mod tally;
mod trial;
mod value;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use kubemerge_schema::{Dialect, Schema, builtin::NEWEST};
use serde_json::Value;

use crate::rng::Rng;
use compare::Answer;
use mutate::{KeepName, Mutator};
use objects::Base;
use operation::Operation;
use options::Options;
use oracle::Oracle;
use tally::Tally;
use trial::Trial;

pub(crate) use options::HELP;

/// Trials that are on their way at once.
const BATCH: usize = 512;

/// Runs the comparison. Exit code 1 where something differs, 3 without the oracle.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("conformance --kinds: {complaint}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match compare_kinds(&options) {
        Ok(tally) => tally.print(&options),
        Err(error) => {
            eprintln!("conformance --kinds: {error}");
            ExitCode::from(3)
        }
    }
}

fn compare_kinds(options: &Options) -> Result<Tally, Box<dyn Error>> {
    let schema = Schema::builtin(NEWEST, Dialect::Upstream)?;
    let mut oracle = Oracle::start()?;
    let bases = objects::load(&schema, &mut oracle, options)?;
    println!("seed {}, {} valid objects", options.seed, bases.len());
    let mutator = Mutator::new(&schema, &bases);
    let mut rng = Rng::new(options.seed);
    let mut tally = Tally::default();
    let start = Instant::now();
    while tally.trials() < options.cases {
        let count = BATCH.min(options.cases - tally.trials());
        let trials: Vec<Trial<'_>> = (0..count).map(|_| trial(options, &bases, &mutator, &mut rng)).collect();
        run_batch(&schema, &mut oracle, &trials, &mut tally)?;
    }
    println!("{} objects in {:.1} s", tally.trials(), start.elapsed().as_secs_f64());
    Ok(tally)
}

fn trial<'b>(options: &Options, bases: &'b [Base], mutator: &Mutator<'_>, rng: &mut Rng) -> Trial<'b> {
    let base = objects::pick(bases, rng);
    // Half of the trials create: most rules apply to both, and created objects need no stored one.
    let operation = match (&base.stored, rng.below(10)) {
        (Some(_), 5..=8) => Operation::Update,
        // Without a status there is nothing that the changes could reach.
        (Some(stored), 9) if stored.get("status").is_some() => Operation::UpdateStatus,
        _ => Operation::Create,
    };
    let operation = options.operation.unwrap_or(operation);
    let mut object = match (&base.stored, operation) {
        (_, Operation::Create) | (None, _) => base.object.clone(),
        (Some(stored), _) => stored.clone(),
    };
    // Unchanged objects test defaults; more than three changes hide each other's errors.
    let count = if rng.chance(25) { 0 } else { 1 + rng.below(3) };
    let keep_name = if operation == Operation::Create { KeepName::No } else { KeepName::Yes };
    let changes = (0..count).filter_map(|_| mutator.change(&mut object, keep_name, rng)).collect();
    Trial { base, operation, object, changes }
}

fn run_batch(
    schema: &Schema,
    oracle: &mut Oracle,
    trials: &[Trial<'_>],
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    let requests: Vec<Value> = trials.iter().map(Trial::request).collect();
    let ours = || -> Vec<Answer> { trials.iter().map(|trial| Answer::ours(schema, trial)).collect() };
    // Both sides work at the same time: the oracle takes most of the run.
    let (theirs, ours) = oracle.ask_while(&requests, ours)?;
    for ((trial, ours), theirs) in trials.iter().zip(ours).zip(theirs) {
        let theirs = Answer::of_oracle(&theirs);
        tally.add(trial, &ours, &theirs);
    }
    Ok(())
}
