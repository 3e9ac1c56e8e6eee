//! redb and fjall on the write pattern of the file store: entries by revision in one table, many writers that wait for
//! one commit with one sync, entries removed as newer ones take their place, and everything read at the start.
//!
//! `cargo run --release -- FOLDER` prints one table; the folder is created and must be on the disk to measure. Writing
//! happens in a process of its own, which is killed at its end, so that reading begins with a recovery.

mod engine;
mod fjall_log;
mod redb_log;
mod writers;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use engine::Engine;
use writers::{Figures, WRITES};

/// Engines take turns, since a busy machine slows both.
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", engine, folder] => write(Engine::named(engine), Path::new(folder)),
        [folder] => compare(Path::new(folder)),
        _ => panic!("usage: kubemerge-store-bench FOLDER"),
    }
}

/// Writes, prints the figures and dies as a killed process does: nothing is closed.
fn write(engine: Engine, folder: &Path) {
    let log = engine.open(folder);
    println!("{}", writers::run(log).line());
    std::process::abort();
}

/// One round of an engine.
struct Round {
    written: Figures,
    bytes: u64,
    /// Seconds until everything was read again.
    recovery: f64,
}

fn measure(engine: Engine, folder: &Path) -> Round {
    // An engine that finds files of the round before would go on with them.
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder).unwrap();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["write", engine.name()]).arg(folder).output().unwrap();
    let written = Figures::read(&String::from_utf8_lossy(&output.stdout));
    let bytes = size_of(folder);
    let start = Instant::now();
    let (count, _) = engine.open(folder).read();
    let recovery = start.elapsed().as_secs_f64();
    assert_eq!(count, WRITES / 2, "{}: half of the entries were removed", engine.name());
    Round { written, bytes, recovery }
}

fn compare(folder: &Path) {
    let mut rounds: Vec<(Engine, Round)> = Vec::new();
    for _ in 0..ROUNDS {
        for engine in Engine::ALL {
            let own: PathBuf = folder.join(engine.name());
            rounds.push((engine, measure(engine, &own)));
            drop(fs::remove_dir_all(own));
        }
    }
    println!(
        "| engine | writes per second | p50 | p99 | writes per commit | CPU per write | read after a kill | size |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for (engine, round) in &rounds {
        let Figures { per_second, p50, p99, per_commit, cpu } = round.written;
        println!(
            "| {} | {per_second:.0} | {p50:.1} ms | {p99:.1} ms | {per_commit:.1} | {cpu:.0} µs | {:.2} s | {} MiB |",
            engine.name(),
            round.recovery,
            round.bytes >> 20
        );
    }
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let size = |entry: fs::DirEntry| match entry.metadata().unwrap() {
        metadata if metadata.is_dir() => size_of(&entry.path()),
        metadata => metadata.len(),
    };
    entries.map(size).sum()
}
