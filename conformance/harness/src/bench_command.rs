//! Compares `kubemerge patch` with `kubectl patch --local`, process start to exit.
//!
//! The two take turns, so that a busy machine slows both. Without kubectl the comparison is skipped by name.
//! `stream` measures long inputs, which kubectl is not asked for.

mod stream;

use std::{
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use kubemerge_test_support::{root, target};

pub(crate) const HELP: &str = "\
Compare the command with kubectl, process start to exit

usage: cargo xtask bench-command [ROUNDS]

Prints the CPU time of `kubemerge patch` for a stream of 5,000 objects and for one large object. Then runs
`kubemerge patch` and `kubectl patch --local` in turn, 40 times each unless ROUNDS is given, and prints the
medians. KUBEMERGE_KUBECTL names the kubectl to run. That part is skipped if there is none.
";

/// How often each command runs, unless set otherwise.
const ROUNDS: usize = 40;
/// What both are asked to do.
const FILE: &str = "examples/deployment.yaml";
const PATCH: &str =
    r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"example.com/shop/web:2"}]}}}}"#;

/// Runs the comparison; the first argument is the number of rounds.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let rounds = arguments.first().and_then(|word| word.parse().ok()).unwrap_or(ROUNDS);
    let Some(kubemerge) = build() else { return ExitCode::FAILURE };
    if let Err(error) = stream::report(&kubemerge, &target()) {
        eprintln!("bench: cannot write the input: {error}");
        return ExitCode::FAILURE;
    }
    let Some(kubectl) = kubectl() else {
        println!("skipped: bench-command: there is no kubectl");
        return ExitCode::SUCCESS;
    };
    let ours = || timed(Command::new(&kubemerge).arg("patch"));
    let theirs = || timed(Command::new(&kubectl).args(["patch", "--local"]));
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        fast.extend(ours());
        slow.extend(theirs());
    }
    let (Some(fast), Some(slow)) = (median(fast), median(slow)) else {
        eprintln!("bench: a command failed");
        return ExitCode::FAILURE;
    };
    println!("kubemerge patch        {:8.2} ms (median of {rounds})", fast.as_secs_f64() * 1e3);
    println!("kubectl patch --local  {:8.2} ms", slow.as_secs_f64() * 1e3);
    println!("ratio                  {:8.1}", slow.as_secs_f64() / fast.as_secs_f64());
    ExitCode::SUCCESS
}

fn kubectl() -> Option<String> {
    let name = std::env::var("KUBEMERGE_KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
    let version = Command::new(&name).args(["version", "--client"]).output();
    version.is_ok_and(|version| version.status.success()).then_some(name)
}

/// Builds the command as users get it, or nearly so.
fn build() -> Option<PathBuf> {
    let arguments = ["build", "--quiet", "--profile", "fast", "--package", "kubemerge-cli"];
    let built = Command::new("cargo").args(arguments).current_dir(root()).status().ok()?;
    built.success().then(|| target().join("fast/kubemerge"))
}

/// How long a command takes; nothing if it fails.
fn timed(command: &mut Command) -> Option<Duration> {
    let command = command.args(["-f", FILE, "-p", PATCH, "-o", "yaml"]).current_dir(root());
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().ok()?;
    status.success().then(|| start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}
