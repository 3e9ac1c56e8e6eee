//! Automation of the repository: `cargo xtask <task>`.
//!
//! Each task is a module with a `run(arguments)` function; this file only picks one.

mod bless;
mod corpus;
mod reference;
mod schemas;
mod tidy;
mod verdict;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <task>

tasks:
  bless   take the upstream expectations of the corpus from the reference program (needs Go)
  schemas write the built-in tables of kubemerge-schema anew
  tidy    check the rules of the repository that no compiler checks
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match task.as_str() {
        "bless" => bless::run(&rest),
        "schemas" => schemas::run(&rest),
        "tidy" => tidy::run(&rest),
        "" | "help" | "--help" | "-h" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        unknown => {
            eprintln!("xtask: there is no task `{unknown}`\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
