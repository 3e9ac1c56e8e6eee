//! Time of one call, measured against the noise of a shared machine.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Rounds of which the second-fastest counts: the fastest may be luck, the others are noise.
const ROUNDS: usize = 9;

/// How long a round should last.
const ROUND: Duration = Duration::from_millis(15);

/// Nanoseconds of one call.
pub(super) fn nanoseconds<T>(mut call: impl FnMut() -> T) -> f64 {
    let calls = calls_of_a_round(&mut call);
    let rounds = if calls == 1 { 3 } else { ROUNDS };
    let mut times: Vec<f64> = (0..rounds).map(|_| timed(calls, &mut call) / calls as f64).collect();
    times.sort_by(f64::total_cmp);
    times[1]
}

fn calls_of_a_round<T>(call: &mut impl FnMut() -> T) -> usize {
    let once = timed(1, call).max(1.0);
    ((ROUND.as_nanos() as f64 / once) as usize).clamp(1, 1_000_000)
}

fn timed<T>(calls: usize, call: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        drop(black_box(call()));
    }
    start.elapsed().as_nanos() as f64
}
