//! `cargo xtask conformance`: the differential run.
//!
//! Cases are generated from a seed, asked of Kubernetes' own code and of our engine through every
//! interface, and compared. A case that differs is asked again and again, since Kubernetes does not
//! always have one answer; what still differs is shrunk and printed as a corpus case.

mod cel;
mod document;
mod explained;
mod json_patch;
mod kinds;
#[cfg(test)]
mod laws;
mod patch;
mod pattern;
mod shape;
mod shrink;
mod ssa;
mod trial;

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use crate::rng::Rng;
use shape::Subject;
use trial::{Court, Outcome, Trial};

use kubemerge_test_support::reference::Reference;

#[cfg(feature = "bench")]
pub(crate) use ssa::published;

pub(crate) const HELP: &str = "\
Compare our engine with Kubernetes' code on generated cases (needs Go)

usage: cargo xtask conformance [--dialect D] [--seconds N] [--cases N] [--seed S] [--kind K] [--op OP]

Exits 1 if an answer differs, 3 if Go is missing. A case that differs is reduced and printed.

options:
  --dialect D   upstream (default): compare with Kubernetes; kustomize: apply only, compare with kustomize
  --seconds N   stop after N seconds (60 if neither this nor --cases is given)
  --cases N     stop after N cases
  --seed S      repeat the run of a seed; a fresh one is printed otherwise
  --kind K      only this kind: Pod, Service, ..., or `synthetic` for generated schemas
  --op OP       only this operation: apply, diff, three-way, compose, conflicts, json-three-way,
                merge-patch, json-patch
  --api         compare our server with a real kube-apiserver instead (--api --help lists the options)
  --directories compare folders of manifests, applied by kubectl to our server and to a real kube-apiserver
                (--directories --help lists the options)
  --cel         compare expressions in CEL with cel-go's instead, those of cel-spec and random ones; takes --cases and
                --seed; with --record, keep answers of cel-go in conformance/cel
  --patterns    compare regular expressions with Go's instead; takes --cases and --seed
  --ssa         compare server-side apply with Kubernetes' field manager instead (--ssa --help lists the options)
  --kinds       compare the rules of built-in kinds instead; it has its own options (--kinds --help lists
                them)
";

/// Cases of one schema before the next is made.
const BATCH: usize = 400;

/// After this many differences the run stops.
const MAX_DIFFERENCES: usize = 10;

struct Options {
    seconds: Option<u64>,
    cases: Option<usize>,
    seed: u64,
    kind: Option<String>,
    op: Option<String>,
    dialect: Judge,
}

/// Whose answers count.
#[derive(Clone, Copy, PartialEq)]
enum Judge {
    Kubernetes,
    Kustomize,
}

/// Runs until the time or the count is up. Exit code 1 where something differs, 3 without Go.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if let Some(("--api", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return crate::api::conformance(rest);
    }
    if let Some(("--directories", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        return crate::directories::run(rest);
    }
    if arguments.iter().any(|word| word == "--kinds") {
        return crate::admission::run(arguments);
    }
    if let Some(place) = arguments.iter().position(|word| word == "--ssa") {
        let rest: Vec<String> = [&arguments[..place], &arguments[place + 1..]].concat();
        return ssa::run(&rest);
    }
    if let Some(("--cel", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return cel::run(rest);
    }
    if let Some(("--patterns", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return pattern::run(rest);
    }
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("conformance: {complaint}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    println!("seed {}", options.seed);
    match compare(&options, Court::new(reference)) {
        Ok(tally) => tally.print(),
        Err(complaint) => {
            eprintln!("conformance: {complaint}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let mut options = Options {
            seconds: None,
            cases: None,
            seed: clock.as_nanos() as u64 % 1_000_000_007,
            kind: None,
            op: None,
            dialect: Judge::Kubernetes,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{word} needs a number, not {value:?}"));
            match word.as_str() {
                "--seconds" => options.seconds = Some(number()?),
                "--cases" => options.cases = Some(number()? as usize),
                "--seed" => options.seed = number()?,
                "--kind" => options.kind = Some(value.clone()),
                "--op" => options.op = Some(value.clone()),
                "--dialect" if value == "upstream" => options.dialect = Judge::Kubernetes,
                "--dialect" if value == "kustomize" => options.dialect = Judge::Kustomize,
                "--dialect" => return Err(format!("there is no dialect {value:?} to compare with")),
                other => return Err(format!("there is no option {other}")),
            }
        }
        if options.op.as_ref().is_some_and(|op| !trial::OPERATIONS.contains(&op.as_str())) {
            return Err(format!("there is no operation {:?}", options.op.unwrap_or_default()));
        }
        if options.dialect == Judge::Kustomize && options.op.as_ref().is_some_and(|op| op != "apply") {
            return Err("kustomize only applies patches".into());
        }
        Ok(options)
    }

    /// Makes a case of a subject.
    fn trial<'a>(&self, rng: &mut Rng, subject: &'a Subject) -> Trial<'a> {
        match self.dialect {
            Judge::Kubernetes => trial::make(rng, subject, self.op.as_deref()),
            Judge::Kustomize => trial::make_kustomize(rng, subject),
        }
    }

    fn is_over(&self, start: Instant, done: usize) -> bool {
        let seconds = match (self.seconds, self.cases) {
            (None, None) => Some(60),
            (seconds, _) => seconds,
        };
        seconds.is_some_and(|seconds| start.elapsed() >= Duration::from_secs(seconds))
            || self.cases.is_some_and(|cases| done >= cases)
    }
}

/// What the run found.
#[derive(Default)]
struct Tally {
    cases: std::collections::BTreeMap<&'static str, usize>,
    results: usize,
    explained: std::collections::BTreeMap<&'static str, usize>,
    different: usize,
}

impl Tally {
    fn done(&self) -> usize {
        self.cases.values().sum()
    }

    fn print(&self) -> ExitCode {
        for (op, count) in &self.cases {
            println!("{op}: {count} cases");
        }
        println!("{} answered with a result, {} with an error", self.results, self.done() - self.results);
        for (class, count) in &self.explained {
            println!("explained by {class}: {count}");
        }
        println!("different: {}", self.different);
        if self.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn compare(options: &Options, mut court: Court) -> Result<Tally, String> {
    let mut rng = Rng::new(options.seed);
    let mut tally = Tally::default();
    let start = Instant::now();
    let tables = match options.dialect {
        Judge::Kubernetes => kinds::tables(),
        Judge::Kustomize => kinds::kustomize_tables(),
    };
    while !options.is_over(start, tally.done()) && tally.different < MAX_DIFFERENCES {
        let subject = subject(options, &tables, &mut rng)?;
        let trials: Vec<Trial<'_>> = (0..BATCH).map(|_| options.trial(&mut rng, &subject)).collect();
        for (trial, outcome) in trials.iter().zip(court.judge(&trials)?) {
            *tally.cases.entry(trial.op).or_default() += 1;
            match outcome {
                Outcome::Same { result } => tally.results += usize::from(result),
                Outcome::Explained(class) => *tally.explained.entry(class).or_default() += 1,
                Outcome::Different => {
                    tally.different += 1;
                    if tally.different > MAX_DIFFERENCES {
                        continue;
                    }
                    let smallest = shrink::shrink(trial, &mut court)?;
                    println!("{}", court.report(smallest)?);
                }
            }
        }
    }
    println!("{:.0} seconds", start.elapsed().as_secs_f64());
    Ok(tally)
}

fn subject(options: &Options, tables: &kubemerge_schema::Schema, rng: &mut Rng) -> Result<Subject, String> {
    let synthetic = |rng: &mut Rng| match options.dialect {
        Judge::Kubernetes => shape::synthetic(rng),
        Judge::Kustomize => shape::synthetic_for_kustomize(rng),
    };
    match options.kind.as_deref() {
        Some("synthetic") => synthetic(rng),
        Some(wanted) => {
            let named = kinds::KINDS.iter().find(|(_, kind)| *kind == wanted);
            let (version, kind) = named.ok_or_else(|| format!("there is no kind {wanted:?} in this run"))?;
            kinds::subject(tables, version, kind).ok_or_else(|| format!("the tables lack {wanted}"))
        }
        None if rng.chance(60) => synthetic(rng),
        None => {
            let (version, kind) = rng.pick(kinds::KINDS);
            match kinds::subject(tables, version, kind) {
                // kustomize's tables are older than some kinds.
                None if options.dialect == Judge::Kustomize => synthetic(rng),
                subject => subject.ok_or_else(|| format!("the tables lack {kind}")),
            }
        }
    }
}
