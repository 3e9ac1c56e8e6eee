//! The tables that are made from Kubernetes: built with the feature `tables` only, since they need the engine's types.

mod go_modules;
mod kubernetes;
mod protobuf;
mod published;
mod releases;
mod schemas;
mod time_zones;
mod unicode;
mod upstream;

use std::process::ExitCode;

/// A task: its name, and what to print and to run.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> ExitCode,
}

/// The list in main.rs names the same tasks.
const TASKS: &[Task] = &[
    Task { name: "kubernetes", help: kubernetes::HELP, run: kubernetes::run },
    Task { name: "protobuf", help: protobuf::HELP, run: protobuf::run },
    Task { name: "schemas", help: schemas::HELP, run: schemas::run },
];

/// Runs a task by its name.
pub(crate) fn run(name: &str, rest: &[String]) -> ExitCode {
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) if rest.first().is_some_and(|word| matches!(word.as_str(), "--help" | "-h")) => {
            print!("{}", task.help);
            ExitCode::SUCCESS
        }
        Some(task) => (task.run)(rest),
        None => ExitCode::from(2),
    }
}
