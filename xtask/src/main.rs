//! Automation of the repository: `cargo xtask <task>`.
//!
//! Only small tasks are here, so that `cargo xtask tidy` builds in seconds. What needs the engine is built when it is
//! asked for: the makers of tables have a feature of their own, and the harness, with everything that asks Kubernetes, is a
//! package of its own.

mod hand_over;
mod krew;
mod release_check;
#[cfg(feature = "tables")]
mod tables;
mod tidy;

use std::process::ExitCode;

use hand_over::hand_over;

/// A task: its name, its line in the list of tasks, and what it is part of.
struct Task {
    name: &'static str,
    summary: &'static str,
    home: Home,
}

enum Home {
    /// What to print for `--help`, and what to run.
    Here(&'static str, fn(&[String]) -> ExitCode),
    /// This package with the feature `tables`.
    Tables,
    /// The package `kubemerge-harness`.
    Harness,
}

/// Shorter, so that a task is a line.
const fn task(name: &'static str, home: Home, summary: &'static str) -> Task {
    Task { name, summary, home }
}

#[rustfmt::skip]
const TASKS: &[Task] = &[
    task("answer", Home::Harness, "Answer conformance requests on stdin with our engine"),
    task("apiserver", Home::Harness, "Build, start and stop a real kube-apiserver with etcd (needs Go)"),
    task("bench", Home::Harness, "Compare the speed of our engine with Kubernetes' code and two JSON libraries"),
    task("bench-command", Home::Harness, "Compare the command with kubectl, process start to exit"),
    task("bless", Home::Harness, "Take the upstream expectations of the corpus from Kubernetes' code (needs Go)"),
    task("conformance", Home::Harness, "Compare our engine with Kubernetes' code on generated cases (needs Go)"),
    task("controllers", Home::Harness, "Run our server with kube-controller-manager, kube-scheduler and a stand-in for the kubelet"),
    task("krew", Home::Here(krew::HELP, krew::run), "Write the manifest for krew, kubectl's plugin manager"),
    task("kubernetes", Home::Tables, "Make a release of Kubernetes the newest one: tables, Go modules, kinds to read again (needs Go)"),
    task("protobuf", Home::Tables, "Generate the table of protobuf messages that the server reads bodies with (needs Go)"),
    task("release-check", Home::Here(release_check::HELP, release_check::run), "Refuse a release that lacks its address, its section in the changelog, or one version everywhere"),
    task("schemas", Home::Tables, "Generate the built-in tables of kubemerge-schema (needs Go unless FOLDER is given)"),
    task("stores", Home::Harness, "Test the stores in full: contract, linearizability, crashes, full disks, cut files, killed processes, etcd"),
    task("suites", Home::Harness, "Run the integration tests of other projects with our server and with kube-apiserver (needs Go)"),
    task("tidy", Home::Here(tidy::HELP, tidy::run), "Check the rules of the repository that no compiler checks"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) => run(task, &arguments, rest),
        None if matches!(name, "" | "help" | "--help" | "-h") => print(&usage()),
        None => {
            eprint!("xtask: there is no task `{name}`\n\n{}", usage());
            ExitCode::from(2)
        }
    }
}

fn run(task: &Task, arguments: &[String], rest: &[String]) -> ExitCode {
    match task.home {
        Home::Here(help, _) if rest.first().is_some_and(|word| matches!(word.as_str(), "--help" | "-h")) => {
            print(help)
        }
        Home::Here(_, run) => run(rest),
        #[cfg(feature = "tables")]
        Home::Tables => tables::run(task.name, rest),
        #[cfg(not(feature = "tables"))]
        Home::Tables => hand_over(&["--package", "xtask", "--features", "tables"], arguments),
        Home::Harness => hand_over(&["--package", "kubemerge-harness"], arguments),
    }
}

fn print(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}

fn usage() -> String {
    let mut text = "usage: cargo xtask <task> [options]; each task has --help\n\ntasks:\n".to_owned();
    for task in TASKS {
        text.push_str(&format!("  {:14} {}\n", task.name, task.summary));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of a task that is built on demand, and the list that it must be in.
    fn sources(task: &Task) -> Option<(String, String)> {
        let folder = match task.home {
            Home::Here(..) => return None,
            Home::Tables => "xtask/src/tables",
            Home::Harness => "conformance/harness/src",
        };
        let list = if matches!(task.home, Home::Tables) {
            "xtask/src/tables.rs"
        } else {
            "conformance/harness/src/main.rs"
        };
        Some((format!("{folder}/{}.rs", task.name.replace('-', "_")), list.to_owned()))
    }

    #[test]
    fn tasks_that_are_built_on_demand_exist_and_say_the_same_of_themselves() {
        let read = |path: &str| std::fs::read_to_string(kubemerge_test_support::root().join(path)).unwrap();
        for (task, (file, list)) in TASKS.iter().filter_map(|task| Some((task, sources(task)?))) {
            assert!(read(&file).lines().any(|line| line == task.summary), "{file}: {}", task.summary);
            assert!(read(&list).contains(&format!("name: \"{}\"", task.name)), "{list}: {}", task.name);
        }
    }

    #[test]
    fn a_task_that_is_here_starts_its_help_with_its_summary() {
        for task in TASKS {
            if let Home::Here(help, _) = task.home {
                assert_eq!(help.lines().next(), Some(task.summary));
            }
        }
    }
}
