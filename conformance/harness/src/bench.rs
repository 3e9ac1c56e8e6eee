//! `cargo xtask bench [--json]`: our engine against Kubernetes' own code and against JSON libraries.
//!
//! The race needs an optimised build with the libraries in it, so the task starts itself again that
//! way. Kubernetes is asked through the reference program and left out where Go is missing.

#[cfg(feature = "bench")]
mod documents;
#[cfg(feature = "bench")]
mod growth;
#[cfg(feature = "bench")]
mod json_patches;
#[cfg(feature = "bench")]
mod kubernetes;
#[cfg(feature = "bench")]
mod making;
#[cfg(feature = "bench")]
mod peers;
#[cfg(feature = "bench")]
mod race;
#[cfg(feature = "bench")]
mod racers;
#[cfg(feature = "bench")]
mod ssa;
#[cfg(feature = "bench")]
mod ssa_documents;
#[cfg(feature = "bench")]
mod ssa_growth;
#[cfg(feature = "bench")]
mod ssa_sets;
#[cfg(feature = "bench")]
mod stopwatch;
#[cfg(feature = "bench")]
mod table;

use std::process::ExitCode;

pub(crate) const HELP: &str = "\
Compare the speed of our engine with Kubernetes' code and two JSON libraries

usage: cargo xtask bench [--json | --ssa | --growth]

Builds itself in release mode first. Rows of Kubernetes are left out if Go is missing.

options:
  --json    print one JSON object per row instead of a table
  --ssa     only the rows of server-side apply
  --growth only server-side apply of long lists and maps
";

/// Races and prints.
#[cfg(feature = "bench")]
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match arguments {
        [] => race::run(table::Form::Text),
        [flag] if flag == "--json" => race::run(table::Form::Json),
        [flag] if flag == "--ssa" => race::run_server_side_apply(table::Form::Text),
        [flag] if flag == "--growth" => race::run_growth(table::Form::Text),
        _ => usage(),
    }
}

/// Builds what can race, and starts it.
#[cfg(not(feature = "bench"))]
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let is_known = |flag: &String| ["--json", "--ssa", "--growth"].contains(&flag.as_str());
    if arguments.len() > 1 || !arguments.iter().all(is_known) {
        return usage();
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "kubemerge-harness",
            "--features",
            "bench",
            "--",
            "bench",
        ])
        .args(arguments)
        .current_dir(kubemerge_test_support::root())
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ExitCode {
    eprint!("{HELP}");
    ExitCode::from(2)
}
