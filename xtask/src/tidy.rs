//! `cargo xtask tidy`: rules of the repository that no compiler checks.
//!
//! Each check is a function from the tracked files to a list of complaints, in a file of its own. All of
//! them only read text, so that the run takes a second or two.

mod code_map;
mod complaint;
mod cycles;
mod invariants;
mod layers;
mod public_types;
mod repository;
mod rust;
mod versions;

use std::process::ExitCode;

use complaint::Complaint;
use repository::Repository;

pub(crate) const HELP: &str = "\
Check the rules of the repository that no compiler checks

usage: cargo xtask tidy [--cycles]

Checks the layers of packages and folders, import cycles, the code map of ARCHITECTURE.md, invariants that a
search can check, names of public types, that there is one version of Kubernetes, and that every conformance rule has
a case. Complaints go to stderr. Exits 1 if there are any.

options:
  --cycles   print the longest import cycle of each package
";

/// Each answers what is wrong; no package is excepted from any.
const CHECKS: &[fn(&Repository) -> Vec<Complaint>] =
    &[layers::check, cycles::check, code_map::check, invariants::check, public_types::check, versions::check];

/// Runs every check; complaints go to stderr.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let repository = Repository::read(&kubemerge_test_support::root());
    let flags: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match flags.as_slice() {
        [] => {}
        ["--cycles"] => {
            print!("{}", cycles::report(&repository));
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    }
    let mut complaints: Vec<String> = complaints(&repository).iter().map(ToString::to_string).collect();
    complaints.extend(kubemerge_test_support::corpus::complaints());
    for complaint in &complaints {
        eprintln!("tidy: {complaint}");
    }
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn complaints(repository: &Repository) -> Vec<Complaint> {
    CHECKS.iter().flat_map(|check| check(repository)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let found = complaints(&Repository::read(&kubemerge_test_support::root()));
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_rule_has_a_case() {
        assert_eq!(kubemerge_test_support::corpus::complaints(), Vec::<String>::new());
    }
}
