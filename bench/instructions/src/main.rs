//! `cargo run --profile fast --package kubemerge-instructions` counts the instructions of requests to kubemerge-server.
//!
//! The requests reach the server in process, so that no client and no connection is counted. All objects are unlike,
//! all rules hold and owners are tracked. Each row runs twice in a process of its own under callgrind, which must be
//! installed, and differs only in the number of measured requests: what the set-up takes is in both counts.
//!
//! With a part of the name of a row as argument only such rows are counted.
//! `valgrind --tool=callgrind PROGRAM run "ROW" 400` profiles one row.

mod count;
mod custom;
mod pod;
mod row;

use std::{env, process::ExitCode};

use row::Row;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", name, requests] => run(name, requests),
        [] => count::report(""),
        [part] if !part.starts_with('-') => count::report(part),
        _ => {
            eprintln!("usage: kubemerge-instructions [PART-OF-A-NAME | run ROW REQUESTS]");
            ExitCode::from(2)
        }
    }
}

/// The process that is counted.
fn run(name: &str, requests: &str) -> ExitCode {
    let (Some(row), Ok(requests)) = (Row::named(name), requests.parse()) else {
        eprintln!("no such row: {name}, or not a number of requests: {requests}");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(row.run(requests));
    ExitCode::SUCCESS
}
