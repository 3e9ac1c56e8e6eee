//! `cargo xtask stores`: the crash tests of the stores in full.

use std::process::{Command, ExitCode};

/// What `cargo xtask stores --help` prints.
pub(crate) const HELP: &str = "\
Test the stores in full: contract, linearizability, crashes, full disks, cut files, killed processes

usage: cargo xtask stores

`cargo test` runs the same tests in a short form. Here the power fails and files are cut 50 times as often, and
`kubemerge serve --store file:…` is killed until 100,000 writes of 16 clients were confirmed.
";

/// The tests, as arguments of `cargo test`.
const TESTS: [&[&str]; 3] = [
    &["-p", "kubemerge-server", "--features", "file-store", "--test", "stores"],
    &["-p", "kubemerge-server", "--features", "file-store", "--lib", "store::"],
    &["-p", "kubemerge-cli", "--test", "stores"],
];

/// Runs the tests; fails with the first that fails.
pub(crate) fn run(_: &[String]) -> ExitCode {
    for arguments in TESTS {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--profile", "fast"]).args(arguments).args(["--", "--nocapture"]);
        match cargo.env("KUBEMERGE_STORES", "full").status() {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => {
                eprintln!("xtask: cargo cannot be run: {error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}
