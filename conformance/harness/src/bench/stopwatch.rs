//! Time of one call, measured against the noise of a shared machine.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Rounds of which the second-fastest counts: the fastest may be luck, the others are noise.
const ROUNDS: usize = 9;

/// How long a round should last.
const ROUND: Duration = Duration::from_millis(8);

/// Nanoseconds of one call.
pub(super) fn nanoseconds<T>(mut call: impl FnMut() -> T) -> f64 {
    let calls = calls_of_a_round(timed(1, &mut call));
    let rounds = if calls == 1 { 3 } else { ROUNDS };
    let times = (0..rounds).map(|_| timed(calls, &mut call) / calls as f64).collect();
    second_fastest(times).unwrap_or_default()
}

/// Nanoseconds of one call in a round of calls; `once` is about what one of them takes.
pub(super) fn round<T>(mut call: impl FnMut() -> T, once: f64) -> f64 {
    let calls = calls_of_a_round(once);
    timed(calls, &mut call) / calls as f64
}

/// How many calls a round has, of which one takes this many nanoseconds.
pub(super) fn calls_of_a_round(once: f64) -> usize {
    ((ROUND.as_nanos() as f64 / once.max(1.0)) as usize).clamp(1, 1_000_000)
}

/// The time that counts.
pub(super) fn second_fastest(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(1).copied()
}

fn timed<T>(calls: usize, call: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        drop(black_box(call()));
    }
    start.elapsed().as_nanos() as f64
}
