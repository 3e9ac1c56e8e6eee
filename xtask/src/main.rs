//! Automation of the repository: `cargo xtask <task>`.
//!
//! Each task is a module with a `run` function and a `HELP` text; this file only picks one.

mod admission;
mod answer;
mod api;
mod apiserver;
mod bench;
mod bench_command;
mod bless;
mod conformance;
mod connection;
mod controllers;
mod corpus;
mod dice;
mod krew;
mod process_figures;
mod protobuf;
mod reference;
mod schemas;
mod serve_process;
mod stores;
mod suites;
mod tidy;
mod verdict;

use std::process::ExitCode;

/// A task: its name, and what to print and to run.
struct Task {
    name: &'static str,
    /// The first line is the summary that the list of tasks shows.
    help: &'static str,
    run: fn(&[String]) -> ExitCode,
}

const TASKS: &[Task] = &[
    Task { name: "answer", help: answer::HELP, run: answer::run },
    Task { name: "apiserver", help: apiserver::HELP, run: apiserver::run },
    Task { name: "bench", help: bench::HELP, run: bench::run },
    Task { name: "bench-command", help: bench_command::HELP, run: bench_command::run },
    Task { name: "bless", help: bless::HELP, run: bless::run },
    Task { name: "conformance", help: conformance::HELP, run: conformance::run },
    Task { name: "controllers", help: controllers::HELP, run: controllers::run },
    Task { name: "krew", help: krew::HELP, run: krew::run },
    Task { name: "protobuf", help: protobuf::HELP, run: protobuf::run },
    Task { name: "schemas", help: schemas::HELP, run: schemas::run },
    Task { name: "stores", help: stores::HELP, run: stores::run },
    Task { name: "suites", help: suites::HELP, run: suites::run },
    Task { name: "tidy", help: tidy::HELP, run: tidy::run },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match TASKS.iter().find(|task| task.name == name) {
        // A task with modes gets `--mode --help` itself.
        Some(task) if rest.first().is_some_and(|word| is_help(word)) => print_help(task.help),
        Some(task) => (task.run)(&rest),
        None if name.is_empty() || name == "help" || is_help(&name) => print_help(&usage()),
        None => {
            eprint!("xtask: there is no task `{name}`\n\n{}", usage());
            ExitCode::from(2)
        }
    }
}

fn is_help(word: &str) -> bool {
    matches!(word, "--help" | "-h")
}

fn print_help(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}

fn usage() -> String {
    let mut text = "usage: cargo xtask <task> [options]; each task has --help\n\ntasks:\n".to_owned();
    for task in TASKS {
        let summary = task.help.lines().next().unwrap_or_default();
        text.push_str(&format!("  {:14} {summary}\n", task.name));
    }
    text
}
