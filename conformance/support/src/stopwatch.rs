//! A stopwatch for a noisy machine, which the benchmarks share.

use std::{hint::black_box, time::Instant};

/// One thing to measure.
pub struct Job<'a> {
    /// What the row is called.
    pub name: String,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Job<'a> {
    /// A job that runs a function.
    pub fn new<R>(name: impl Into<String>, mut run: impl FnMut() -> R + 'a) -> Self {
        let run = move || _ = black_box(run());
        Job { name: name.into(), run: Box::new(run) }
    }

    /// Runs it once.
    pub fn once(&mut self) {
        (self.run)();
    }

    /// The nanoseconds of one run, as the mean of this many.
    fn time(&mut self, runs: u32) -> f64 {
        let start = Instant::now();
        (0..runs).for_each(|_| self.once());
        start.elapsed().as_nanos() as f64 / f64::from(runs)
    }
}

/// How many rounds are run; every round runs every job, so that noise hits all of them.
const ROUNDS: usize = 15;
/// How long a job runs in one round, in nanoseconds.
const ROUND: f64 = 3e6;

/// The nanoseconds of each job: the second-lowest of its rounds.
pub fn measure(jobs: &mut [Job<'_>]) -> Vec<f64> {
    let runs: Vec<u32> = jobs.iter_mut().map(|job| (ROUND / job.time(2)).clamp(1.0, 1e6) as u32).collect();
    let mut rounds = vec![Vec::new(); jobs.len()];
    for _ in 0..ROUNDS {
        for (at, job) in jobs.iter_mut().enumerate() {
            rounds[at].push(job.time(runs[at]));
        }
    }
    rounds.into_iter().map(second_lowest).collect()
}

fn second_lowest(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[1]
}

/// Nanoseconds in a unit for people.
pub fn show_time(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 10_000.0 => format!("{time:.0} ns"),
        time if time < 10_000_000.0 => format!("{:.1} µs", time / 1e3),
        time => format!("{:.1} ms", time / 1e6),
    }
}
