//! `cargo xtask conformance --ssa`: server-side apply beside Kubernetes' own field manager.
//!
//! A scenario is a sequence of writes by several managers. It is made while our engine runs it, since
//! updates start from the object of the step before; then the reference program runs it from the start.

mod object;
mod schema;
mod story;
mod subject;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use kubemerge_test_support::scenario;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
#[cfg(feature = "bench")]
pub(crate) use subject::published;
use subject::{FORMS, Subject};

use crate::rng::Rng;
use kubemerge_test_support::reference::Reference;

pub(crate) const USAGE: &str = "\
usage: cargo xtask conformance --ssa [--seconds N] [--steps N] [--seed S] [--form F]

  --seconds N   stop after N seconds (60 where neither this nor --steps is given)
  --steps N     stop after N steps
  --seed S      repeat the run of a seed; a fresh one is printed otherwise
  --form F      only objects of one form: map, custom-resource, deduced, typed
";

/// Scenarios of one schema before the next is made.
const BATCH: usize = 40;

/// After this many differences the run stops.
const MAX_DIFFERENCES: usize = 5;

/// How often a scenario is asked again whose answer differs.
const MAX_ASKED: usize = 40;

struct Options {
    seconds: Option<u64>,
    steps: Option<usize>,
    seed: u64,
    form: Option<String>,
}

/// Runs until the time or the count is up. Exit code 1 where something differs, 3 without Go.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("conformance: {complaint}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    println!("seed {}", options.seed);
    match compare_all(&options, &mut reference) {
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
        let seed = clock.as_nanos() as u64 % 1_000_000_007;
        let mut options = Options { seconds: None, steps: None, seed, form: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{word} needs a number, not {value:?}"));
            match word.as_str() {
                "--seconds" => options.seconds = Some(number()?),
                "--steps" => options.steps = Some(number()? as usize),
                "--seed" => options.seed = number()?,
                "--form" => options.form = Some(value.clone()),
                other => return Err(format!("there is no option {other}")),
            }
        }
        Ok(options)
    }

    fn is_over(&self, start: Instant, done: usize) -> bool {
        // A count that is given is reached, however long it takes.
        let seconds = self.seconds.or(if self.steps.is_none() { Some(60) } else { None });
        seconds.is_some_and(|seconds| start.elapsed() >= Duration::from_secs(seconds))
            || self.steps.is_some_and(|steps| done >= steps)
    }
}

#[derive(Default)]
struct Tally {
    steps: usize,
    applied: usize,
    conflicts: usize,
    errors: usize,
    /// Scenarios to which Kubernetes gives several answers, ours among them.
    several_answers: usize,
    different: usize,
}

impl Tally {
    fn print(&self) -> ExitCode {
        println!(
            "{} steps: {} with a result, {} with conflicts, {} with other errors",
            self.steps, self.applied, self.conflicts, self.errors
        );
        println!("several answers, ours among them: {} scenarios", self.several_answers);
        println!("different: {}", self.different);
        if self.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn compare_all(options: &Options, reference: &mut Reference) -> Result<Tally, String> {
    let mut rng = Rng::new(options.seed);
    let mut tally = Tally::default();
    let start = Instant::now();
    while !options.is_over(start, tally.steps) && tally.different < MAX_DIFFERENCES {
        let wanted = |form: &&&str| options.form.as_deref().is_none_or(|wanted| wanted == **form);
        let forms: Vec<&'static str> = FORMS.iter().filter(wanted).copied().collect();
        if forms.is_empty() {
            return Err("there is no such form".to_owned());
        }
        let form = forms[rng.below(forms.len())];
        let subject = Subject::new(&mut rng, form)?;
        // Our side answers while the story is told: later steps build upon its answers.
        let stories: Vec<story::Story> = (0..BATCH).map(|_| story::tell(&mut rng, &subject)).collect();
        let requests: Vec<String> = requests(&subject, &stories, tally.steps);
        for (story, reply) in stories.iter().zip(reference.ask(&requests)?) {
            count(&mut tally, story);
            if let Some(difference) = first_difference(story, &reply, subject.form) {
                if has_our_answer(reference, &subject, story)? {
                    tally.several_answers += 1;
                    continue;
                }
                tally.different += 1;
                println!("{difference}\n");
                // Published schemas are long and known; made ones are needed to repeat the step.
                if !subject.is_typed() {
                    println!("schema: {}\n", subject.document);
                }
            }
        }
    }
    Ok(tally)
}

/// Whether Kubernetes gives our answers too if it is asked again: some orders are those of Go's maps.
fn has_our_answer(
    reference: &mut Reference,
    subject: &Subject,
    story: &story::Story,
) -> Result<bool, String> {
    let request = json!({"op": "ssa", "schema": subject.document, "scenario": story.scenario}).to_string();
    for _ in 0..MAX_ASKED {
        let replies = reference.ask(std::slice::from_ref(&request))?;
        if replies.iter().any(|reply| first_difference(story, reply, subject.form).is_none()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first request of a batch carries the schema, the others refer to it by name.
fn requests(subject: &Subject, stories: &[story::Story], number: usize) -> Vec<String> {
    let name = format!("{}-{number}", subject.kind);
    let request = |(place, story): (usize, &story::Story)| {
        let mut request = json!({"op": "ssa", "metadata": name, "scenario": story.scenario});
        if place == 0 {
            request["schema"] = subject.document.clone();
        }
        request.to_string()
    };
    stories.iter().enumerate().map(request).collect()
}

/// A reply whose answers stay text, so that `fieldsV1` can be compared byte by byte.
#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default)]
    result: Vec<&'a RawValue>,
}

/// The first step whose answer differs, with both answers; `None` if all are the same.
fn first_difference(story: &story::Story, reply: &str, form: &str) -> Option<String> {
    let answers = match serde_json::from_str::<Reply<'_>>(reply) {
        Ok(reply) if !reply.result.is_empty() => reply.result,
        _ => return Some(format!("the reference program: {reply}\nscenario: {}", story.scenario)),
    };
    for (number, (ours, theirs)) in story.answers.iter().zip(answers).enumerate() {
        if let Some(difference) = scenario::compare::difference(ours, theirs.get()) {
            let steps = &story.scenario["steps"].as_array().map(Vec::as_slice).unwrap_or_default()[..=number];
            let steps: Vec<String> = steps.iter().map(|step| format!("  {step}")).collect();
            return Some(format!("{form}, step {}:\n{}\n{difference}", number + 1, steps.join("\n")));
        }
    }
    None
}

fn count(tally: &mut Tally, story: &story::Story) {
    for answer in &story.answers {
        tally.steps += 1;
        match answer {
            scenario::Answer::Object { .. } => tally.applied += 1,
            scenario::Answer::Error { code: 409, .. } => tally.conflicts += 1,
            scenario::Answer::Error { .. } => tally.errors += 1,
        }
    }
}
