//! What one run of an operation costs.

use std::time::Instant;

use serde_json::json;

use super::{operation::Answer, refusal::Refusal};

/// Runs an operation over and over; gives nanoseconds and allocations of one run.
pub(super) fn measure(
    repeat: u64,
    mut operation: impl FnMut() -> Result<Answer, Refusal>,
) -> Result<Answer, Refusal> {
    // Once outside the clock: it fills the caches and finds out whether the operation fails.
    operation()?;
    let rounds = repeat.max(1);
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(operation())));
    let start = Instant::now();
    for _ in 0..rounds {
        drop(std::hint::black_box(operation()));
    }
    let nanoseconds = start.elapsed().as_nanos() as f64 / rounds as f64;
    let result = json!({ "ns": nanoseconds, "allocations": counted.count_total });
    Ok(result.to_string().into_bytes())
}
