//! Automation of the repository: `cargo xtask <task>`.
//!
//! Each task is a module with a `run(arguments)` function; this file only picks one.

mod answer;
mod bench;
mod bench_command;
mod bless;
mod conformance;
mod corpus;
mod protobuf;
mod reference;
mod schemas;
mod tidy;
mod verdict;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <task>

tasks:
  answer      answer conformance requests on standard input with our engine
  bench       race our engine against Kubernetes and two JSON libraries
  bench-command
              compare the command with kubectl, process start to exit
  bless       take the upstream expectations of the corpus from the reference program (needs Go)
  protobuf    write the table of protobuf messages of kubemerge-server anew (needs Go)
  schemas     write the built-in tables of kubemerge-schema anew
  conformance compare our engine with the reference program on generated cases (needs Go)
  tidy        check the rules of the repository that no compiler checks
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match task.as_str() {
        "answer" => answer::run(&rest),
        "bench" => bench::run(&rest),
        "bench-command" => bench_command::run(&rest),
        "bless" => bless::run(&rest),
        "conformance" => conformance::run(&rest),
        "protobuf" => protobuf::run(&rest),
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
