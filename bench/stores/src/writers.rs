//! Writers that each wait until their entry is on the disk; one thread commits what has come together meanwhile.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;

use crate::engine::{Commit, Log};

const WRITERS: u64 = 16;
/// Entries that are written; each second one takes the place of an earlier one, which is removed.
pub(crate) const WRITES: u64 = 40_000;
const ENTRY_BYTES: usize = 2048;

/// What writing has cost.
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    /// Milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) per_commit: f64,
    /// Microseconds.
    pub(crate) cpu: f64,
}

impl Figures {
    /// For the process that reads them.
    pub(crate) fn line(&self) -> String {
        let Figures { per_second, p50, p99, per_commit, cpu } = self;
        format!("{per_second} {p50} {p99} {per_commit} {cpu}")
    }

    pub(crate) fn read(line: &str) -> Figures {
        let numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [per_second, p50, p99, per_commit, cpu] = numbers[..] else { panic!("no figures: {line}") };
        Figures { per_second, p50, p99, per_commit, cpu }
    }
}

/// A writer, which is told when its entry is on the disk.
type Waiting = Sender<()>;

pub(crate) fn run(log: Box<dyn Log>) -> Figures {
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let (sender, receiver) = channel();
    let committer = thread::spawn(move || commit_all(log, receiver));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let sender = sender.clone();
            thread::spawn(move || (0..WRITES / WRITERS).map(|_| write(&sender)).collect::<Vec<Duration>>())
        })
        .collect();
    drop(sender);
    let mut times: Vec<Duration> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
    let commits = committer.join().unwrap();
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e3;
    Figures {
        per_second: WRITES as f64 / start.elapsed().as_secs_f64(),
        p50: at(50),
        p99: at(99),
        per_commit: WRITES as f64 / commits as f64,
        cpu: cpu.elapsed().as_secs_f64() * 1e6 / WRITES as f64,
    }
}

fn write(committer: &Sender<Waiting>) -> Duration {
    let (start, (done, is_done)) = (Instant::now(), channel());
    committer.send(done).unwrap();
    is_done.recv().unwrap();
    start.elapsed()
}

/// Commits until all writers are gone; how often that was.
fn commit_all(mut log: Box<dyn Log>, writers: Receiver<Waiting>) -> u64 {
    let (mut revision, mut commits) = (0, 0);
    while let Ok(first) = writers.recv() {
        let waiting: Vec<Waiting> = std::iter::once(first).chain(writers.try_iter()).collect();
        let mut commit = Commit::default();
        for _ in &waiting {
            revision += 1;
            commit.entries.push((revision, vec![revision as u8; ENTRY_BYTES]));
            if revision % 2 == 0 {
                commit.obsolete.push(revision / 2);
            }
        }
        commit.newest = revision;
        log.commit(&commit);
        commits += 1;
        for writer in waiting {
            writer.send(()).unwrap();
        }
    }
    commits
}
