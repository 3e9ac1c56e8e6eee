//! `cargo xtask suites`: the integration tests of other projects with our server and with kube-apiserver.
//!
//! Sources come from the registries of Cargo and Go, unmodified. Suites of Go modules start the servers themselves, as envtest does, and are compared package by
//! package in one run: tests, time, processor time and memory. What passes on kube-apiserver and not here is listed by name.

mod assets;
mod go_module;
mod kube_rs;
mod measured;
mod outcome;
mod reports;
mod servers;
mod table;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use assets::Side;
use go_module::{GoSuite, Tests};
use outcome::Outcomes;
use servers::{OwnServer, RealServer};

/// What `cargo xtask suites --help` prints.
pub(crate) const HELP: &str = "\
Run the integration tests of other projects with our server and with kube-apiserver (needs Go)

usage: cargo xtask suites NAME... [options]

  kube-rs              the tests of kube, kube-client and kube-runtime that need a cluster (`--ignored`)
  controller-runtime, karpenter, gatekeeper, kro, eck, cluster-api
                       their packages that use envtest, with KUBEBUILDER_ASSETS

  --package NAME       only these packages, such as pkg/client or kube-client; repeatable
  --ours-only          do not run with kube-apiserver, which `cargo xtask apiserver build` builds
  --limit SECONDS      end the tests of a package that take longer (1800); Go modules only
  --program FILE       this kubemerge instead of one that is built with the profile `fast`; Go modules only
  --checkout FOLDER    use this checkout of kube-rs instead of the packaged crates

Sources, logs and reports are in target/suites. Exits 1 if a test passes on kube-apiserver and not here.
";

/// What the command line asks for.
struct Plan {
    suites: Vec<String>,
    checkout: Option<PathBuf>,
    program: Option<PathBuf>,
    packages: Vec<String>,
    ours_only: bool,
    limit: Duration,
}

impl Plan {
    fn read(arguments: &[String]) -> Result<Plan, String> {
        let mut plan = Plan {
            suites: Vec::new(),
            checkout: None,
            program: None,
            packages: Vec::new(),
            ours_only: false,
            limit: Duration::from_mins(30),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--checkout" => plan.checkout = Some(value()?.into()),
                "--program" => plan.program = Some(value()?.into()),
                "--package" => plan.packages.push(value()?),
                "--ours-only" => plan.ours_only = true,
                "--limit" => {
                    let seconds = value()?;
                    let seconds = seconds.parse().map_err(|_| format!("--limit {seconds}: not a number"))?;
                    plan.limit = Duration::from_secs(seconds);
                }
                "kube-rs" => plan.suites.push(word.clone()),
                name if go_module::named(name).is_some() => plan.suites.push(word.clone()),
                other => return Err(format!("there is no suite or option {other}\n\n{HELP}")),
            }
        }
        if plan.suites.is_empty() {
            return Err(format!("name a suite\n\n{HELP}"));
        }
        Ok(plan)
    }

    fn wants_package(&self, name: &str) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|package| package == name)
    }

    /// The sides to run, ours first.
    fn sides(&self) -> &'static [Side] {
        if self.ours_only { &[Side::Ours] } else { &[Side::Ours, Side::Theirs] }
    }
}

/// Runs the suites; exits 1 if a test passes on kube-apiserver and not here.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let done = Plan::read(arguments).and_then(|plan| compare(&plan));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(complaint) => {
            eprintln!("suites: {complaint}");
            ExitCode::from(2)
        }
    }
}

/// Prints what each suite did on both servers, and returns whether ours passed all that the other did.
fn compare(plan: &Plan) -> Result<bool, String> {
    let mut all_passed = true;
    for name in &plan.suites {
        all_passed &= match go_module::named(name) {
            Some(suite) => compare_go_suite(plan, suite)?,
            None => compare_kube_rs(plan)?,
        };
    }
    Ok(all_passed)
}

fn compare_go_suite(plan: &Plan, suite: &GoSuite) -> Result<bool, String> {
    let program = match &plan.program {
        Some(program) => program.clone(),
        None => crate::serve_process::build("fast")?,
    };
    assets::make_ours(&program)?;
    if !plan.ours_only {
        assets::make_theirs()?;
    }
    println!("{} {}\n\n{}", suite.name, suite.version, table::HEAD);
    let mut missing = Vec::new();
    for package in suite.packages.iter().filter(|package| plan.wants_package(package)) {
        let tests = Tests::compile(suite, package)?;
        let runs = plan.sides().iter().map(|side| tests.run(*side, plan.limit));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        println!("{}", table::row(package, &runs));
        missing.extend(match &runs[..] {
            [ours, theirs] => ours.outcomes.missing(&theirs.outcomes),
            _ => runs.iter().flat_map(|run| run.outcomes.failed().map(str::to_owned)).collect(),
        });
    }
    println!();
    let what = if plan.ours_only { "fails" } else { "passes on kube-apiserver only" };
    missing.iter().for_each(|name| println!("{what}: {name}"));
    Ok(missing.is_empty())
}

fn compare_kube_rs(plan: &Plan) -> Result<bool, String> {
    let wanted = |name: &str| plan.wants_package(name);
    let print = |outcomes: &Outcomes, server| println!("kube-rs: {}", outcomes.summary(server));
    let ours = kube_rs::run::<OwnServer>(plan.checkout.as_deref(), wanted)?;
    print(&ours, "our server");
    if plan.ours_only {
        ours.failed().for_each(|name| println!("  failed: {name}"));
        return Ok(true);
    }
    let theirs = kube_rs::run::<RealServer>(plan.checkout.as_deref(), wanted)?;
    print(&theirs, "kube-apiserver");
    let missing = ours.missing(&theirs);
    missing.iter().for_each(|name| println!("  passes on kube-apiserver only: {name}"));
    Ok(missing.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_known_by_name() {
        let read =
            |words: &[&str]| Plan::read(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        for suite in go_module::SUITES {
            let plan = read(&[suite.name, "--limit", "5"]).unwrap();
            assert_eq!((plan.limit, plan.suites.len()), (Duration::from_secs(5), 1));
            assert!(HELP.contains(suite.name), "{}", suite.name);
        }
        for words in [&[][..], &["x"], &["kro", "--limit", "x"], &["kro", "--package"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
