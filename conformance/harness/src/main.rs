//! The judges of kubemerge: `cargo xtask <task>` hands these tasks over, `cargo xtask --help` lists them.
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
mod directories;
mod process_figures;
mod rng;
mod serve_process;
mod stores;
mod suites;

use std::process::ExitCode;

/// A task: its name, and what to print and to run.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> ExitCode,
}

/// The list in xtask/src/main.rs names the same tasks.
const TASKS: &[Task] = &[
    Task { name: "answer", help: answer::HELP, run: answer::run },
    Task { name: "apiserver", help: apiserver::HELP, run: apiserver::run },
    Task { name: "bench", help: bench::HELP, run: bench::run },
    Task { name: "bench-command", help: bench_command::HELP, run: bench_command::run },
    Task { name: "bless", help: bless::HELP, run: bless::run },
    Task { name: "conformance", help: conformance::HELP, run: conformance::run },
    Task { name: "controllers", help: controllers::HELP, run: controllers::run },
    Task { name: "stores", help: stores::HELP, run: stores::run },
    Task { name: "suites", help: suites::HELP, run: suites::run },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match TASKS.iter().find(|task| task.name == name) {
        // A task with modes gets `--mode --help` itself.
        Some(task) if rest.first().is_some_and(|word| matches!(word.as_str(), "--help" | "-h")) => {
            print!("{}", task.help);
            ExitCode::SUCCESS
        }
        Some(task) => (task.run)(&rest),
        None => {
            eprintln!("harness: there is no task `{name}`; `cargo xtask --help` lists them");
            ExitCode::from(2)
        }
    }
}
