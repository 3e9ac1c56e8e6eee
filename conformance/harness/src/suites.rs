//! `cargo xtask suites`: the integration tests of other projects against our server and against kube-apiserver.
//!
//! Sources come from the registries of Cargo and Go, unmodified. Each package runs once per server, which has no objects of other packages; what passes on
//! kube-apiserver and not here is listed by name.

mod controller_runtime;
mod kube_rs;
mod outcome;
mod servers;

use std::{path::PathBuf, process::ExitCode};

use outcome::Outcomes;
use servers::{FreshServer, OwnServer, RealServer};

/// What `cargo xtask suites --help` prints.
pub(crate) const HELP: &str = "\
Run the integration tests of kube-rs and controller-runtime against our server and kube-apiserver (needs Go)

usage: cargo xtask suites [kube-rs] [controller-runtime] [--checkout FOLDER] [--package NAME]... [--ours-only]

  kube-rs              the tests of kube, kube-client and kube-runtime that need a cluster (`--ignored`)
  controller-runtime   the packages of controller-runtime that need one (USE_EXISTING_CLUSTER=true)
  --checkout FOLDER    use this checkout of kube-rs instead of the packaged crates
  --package NAME       only these packages, such as pkg/client or kube-client; repeatable
  --ours-only          do not run against kube-apiserver, which `cargo xtask apiserver build` builds

Both suites run unless one is named. Sources and reports are in target/suites.
";

/// What the command line asks for.
#[derive(Default)]
struct Plan {
    suites: Vec<String>,
    checkout: Option<PathBuf>,
    packages: Vec<String>,
    ours_only: bool,
}

impl Plan {
    fn read(arguments: &[String]) -> Result<Plan, String> {
        let mut plan = Plan::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "kube-rs" | "controller-runtime" => plan.suites.push(word.clone()),
                "--checkout" => plan.checkout = Some(value()?.into()),
                "--package" => plan.packages.push(value()?),
                "--ours-only" => plan.ours_only = true,
                other => return Err(format!("there is no option {other}")),
            }
        }
        Ok(plan)
    }

    fn wants_suite(&self, name: &str) -> bool {
        self.suites.is_empty() || self.suites.iter().any(|suite| suite == name)
    }

    fn wants_package(&self, name: &str) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|package| package == name)
    }

    /// Runs a suite, each of its packages against a fresh server.
    fn run_suite<S: FreshServer>(&self, suite: &str) -> Result<Outcomes, String> {
        match suite {
            "kube-rs" => kube_rs::run::<S>(self.checkout.as_deref(), |name| self.wants_package(name)),
            _ => controller_runtime::run::<S>(|name| self.wants_package(name)),
        }
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
    for suite in ["kube-rs", "controller-runtime"].into_iter().filter(|suite| plan.wants_suite(suite)) {
        let ours = plan.run_suite::<OwnServer>(suite)?;
        println!("{suite}: {}", ours.summary("our server"));
        if plan.ours_only {
            ours.failed().for_each(|name| println!("  failed: {name}"));
            continue;
        }
        let theirs = plan.run_suite::<RealServer>(suite)?;
        println!("{suite}: {}", theirs.summary("kube-apiserver"));
        let missing = ours.missing(&theirs);
        missing.iter().for_each(|name| println!("  passes on kube-apiserver only: {name}"));
        all_passed &= missing.is_empty();
    }
    Ok(all_passed)
}
