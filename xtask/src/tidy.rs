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
mod words;

use std::process::ExitCode;

use complaint::Complaint;
use repository::Repository;

pub(crate) const HELP: &str = "\
Check the rules of the repository that no compiler checks

usage: cargo xtask tidy [--all | --cycles]

Checks the layers of packages and folders, import cycles, the code map of ARCHITECTURE.md, invariants that a
search can check, names of public types, names that have a plain replacement, and that every conformance
rule has a case. Complaints go to stderr. Exits 1 if there are any.

options:
  --all      check packages that are excepted so far, too
  --cycles   print the longest import cycle of each package
";

struct Check {
    complaints: fn(&Repository) -> Vec<Complaint>,
    /// The packages that do not pass it yet.
    not_yet: &'static [&'static str],
}

const CHECKS: &[Check] = &[
    Check { complaints: layers::check, not_yet: &[] },
    Check { complaints: cycles::check, not_yet: &["kubemerge-kinds", "xtask"] },
    Check { complaints: code_map::check, not_yet: &["kubemerge-kinds", "kubemerge-ssa"] },
    Check { complaints: invariants::check, not_yet: &[] },
    Check { complaints: public_types::check, not_yet: &[] },
    Check { complaints: words::check, not_yet: &["kubemerge-kinds"] },
];

/// Which packages are held to the checks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// All but those that do not pass a check yet.
    Enforced,
    All,
}

/// Runs every check; complaints go to stderr.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let repository = Repository::read(&crate::corpus::root());
    let flags: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let scope = match flags.as_slice() {
        [] => Scope::Enforced,
        ["--all"] => Scope::All,
        ["--cycles"] => {
            print!("{}", cycles::report(&repository));
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let mut complaints: Vec<String> =
        complaints(&repository, scope).iter().map(ToString::to_string).collect();
    complaints.extend(crate::corpus::complaints());
    for complaint in &complaints {
        eprintln!("tidy: {complaint}");
    }
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn complaints(repository: &Repository, scope: Scope) -> Vec<Complaint> {
    let mut found = Vec::new();
    for check in CHECKS {
        let is_excepted = |one: &Complaint| check.not_yet.iter().any(|package| one.is_about(package));
        let all = (check.complaints)(repository).into_iter();
        found.extend(all.filter(|one| scope == Scope::All || !is_excepted(one)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let found = complaints(&Repository::read(&crate::corpus::root()), Scope::Enforced);
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_rule_has_a_case() {
        assert_eq!(crate::corpus::complaints(), Vec::<String>::new());
    }
}
