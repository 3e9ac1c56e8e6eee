//! `cargo xtask stores`: the crash tests of the stores in full, their load beside kube-apiserver, and a soak test.

mod load;
mod options;
mod soak;

use std::process::{Command, ExitCode};

/// What `cargo xtask stores --help` prints.
pub(crate) const HELP: &str = "\
Test the stores in full: contract, linearizability, crashes, full disks, cut files, killed processes, etcd

usage: cargo xtask stores
       cargo xtask stores --soak DURATION [--controllers] [--store STORE] [--server FILE]
       cargo xtask stores --load [--stores LIST] [--seconds N] [--objects N] [--server FILE]

`cargo test` runs the same tests in a short form. Here the power fails and files are cut 50 times as often, and
`kubemerge serve --store file:…` is killed until 100,000 writes of 16 clients were confirmed. The tests of the store in
etcd need protoc, and an etcd: that of KUBEMERGE_ETCD, of `cargo xtask apiserver build etcd`, or `etcd`.

  --soak DURATION  mixed load on one server for as long, such as 1m or 1h: objects, pages, watches, definitions,
                   Events; exits 1 after an answer that no client caused, or, in runs of half an hour and more, if
                   the memory grows after the first ten minutes
  --controllers    with kube-controller-manager and kube-scheduler among the clients (`cargo xtask apiserver build`)
  --store STORE    store of the server, as for `kubemerge serve` (file:target/stores/soak, emptied before)
  --load           the same requests of 16 clients to `kubemerge serve` over each store and to kube-apiserver with
                   an etcd that syncs (`cargo xtask apiserver build`), as tables; build this task with `--profile fast`
  --stores LIST    of memory, file, etcd and kube-apiserver (memory,file,kube-apiserver)
  --seconds N      how long each operation is measured (10)
  --objects N      how many objects there are when memory is measured (100000)
  --server FILE    the kubemerge to run (built in release)
";

/// The tests, as arguments of `cargo test`, and filters of their names.
const TESTS: [(&[&str], &[&str]); 3] = [
    (&["-p", "kubemerge-server", "--features", "etcd,file-store,tls", "--test", "tests"], &["stores::"]),
    (&["-p", "kubemerge-server", "--features", "etcd,file-store,tls", "--lib"], &["store::"]),
    (&["-p", "kubemerge-cli", "--features", "etcd", "--test", "tests"], &["stores::", "replicas::"]),
];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let done = match arguments {
        [] => run_tests(),
        [mode, rest @ ..] if mode == "--soak" => {
            options::SoakOptions::read(rest).and_then(|options| soak::run(&options))
        }
        [mode, rest @ ..] if mode == "--load" => {
            options::LoadOptions::read(rest).and_then(|options| load::run(&options))
        }
        _ => Err(format!("the options are not understood\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("stores: {complaint}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the tests; fails with the first that fails.
fn run_tests() -> Result<(), String> {
    for (arguments, filters) in TESTS {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--profile", "fast"]).args(arguments).args(["--", "--nocapture"]).args(filters);
        match cargo.env("KUBEMERGE_STORES", "full").status() {
            Ok(status) if status.success() => {}
            Ok(_) => return Err(format!("`cargo test {}` failed", arguments.join(" "))),
            Err(error) => return Err(format!("cargo cannot be run: {error}")),
        }
    }
    Ok(())
}
