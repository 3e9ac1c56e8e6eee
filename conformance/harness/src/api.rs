//! `cargo xtask conformance --api`: random requests to our server and to a real kube-apiserver.
//!
//! Valid objects of every served kind, or random ones, are changed at random and sent to both. What differs is
//! grouped by cause and counted; `report` prints the figures that issue trackers and docs/fidelity.md quote.

pub(crate) mod bless;
mod cases;
pub(crate) mod custom;
mod difference;
mod documents;
mod empties;
mod exchange;
mod help;
mod immutable;
mod kinds;
mod managers;
mod mutate;
mod options;
mod recorder;
mod report;
mod rules;
mod run;
mod schema;
mod stored;
mod trial;

pub(crate) use exchange::{Call, Server};
pub(crate) use recorder::Recorder;

use std::process::ExitCode;

use crate::apiserver::Instance;
use help::printed_help;
use options::Options;

/// What `cargo xtask conformance --api` prints for `--help`.
pub(crate) const HELP: &str = "\
usage: cargo xtask conformance --api [options]

Sends random requests to our server and to a real kube-apiserver (see `cargo xtask apiserver`) and counts
differences by cause. Exits 1 if there are any.

options:
  --requests N      how many requests (2000)
  --seed S          repeat the run of a seed; a fresh one is printed otherwise
  --only LABEL      only kinds whose apiVersion/kind contains LABEL, such as apps/v1/Deployment or batch
  --area A,B        only these areas: create, update, patch, apply, managers (sequences of writes by several managers),
                    empties (lists and maps that are empty or null), immutable (the order of errors about fields),
                    lifecycle (create, read, delete), subresource, read, table, watch, definition, custom, discovery,
                    openapi (all but watch by default)
  --manifests DIR   use the objects of these YAML files, too
  --port N          port of the real server (16443); it is started if it is not running
  --plugins A,B     admission plugins of a server that is started here
  --top N           print the N most frequent causes (40)
  --report FILE     write all causes to a file, tab-separated
";

/// Compares and prints. Exits 1 if something differs, 2 if the comparison cannot be made.
pub(crate) fn conformance(arguments: &[String]) -> ExitCode {
    if printed_help(arguments, HELP) {
        return ExitCode::SUCCESS;
    }
    let done = Options::read(arguments).and_then(|options| {
        let instance = Instance::start(&options.server)?;
        println!("seed {}, server {}", options.seed, instance.address());
        let report = run::run(&options, &instance)?;
        report.print_reasons(options.top);
        report.print_table();
        if let Some(path) = &options.report {
            std::fs::write(path, report.causes()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(report.is_clean())
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(complaint) => {
            eprintln!("conformance: {complaint}");
            ExitCode::from(2)
        }
    }
}
