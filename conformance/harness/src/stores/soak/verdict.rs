//! Whether a soak test has passed.

use std::{collections::BTreeMap, time::Duration};

use super::{Sample, session::Soak};

/// Until then caches and the history of the store fill up.
const WARM_UP: Duration = Duration::from_mins(10);
/// Shorter runs say nothing about growth.
const MIN_DURATION: Duration = Duration::from_mins(30);
/// How much larger the memory may be at the end, as a part and in bytes: what an allocator holds varies.
const MAX_GROWTH: f64 = 0.05;
const MIN_GROWTH_BYTES: u64 = 8 << 20;

/// Codes that clients cause: success, missing objects, outdated versions, and objects that a schema does not allow.
const CAUSED_BY_CLIENTS: [&str; 6] = ["101", "200", "201", "404", "409", "422"];

/// Fails with everything that is wrong.
pub(super) fn judge(
    soak: &Soak,
    samples: &[Sample],
    metrics: &str,
    mut complaints: Vec<String>,
) -> Result<(), String> {
    let (requests, errors) = soak.counts();
    let codes = codes(metrics);
    println!("{requests} requests of the test's own clients; all requests by code: {codes:?}");
    if errors > 0 {
        complaints.push(format!("{errors} answers were not the expected ones"));
    }
    for (code, count) in codes.iter().filter(|(code, _)| !CAUSED_BY_CLIENTS.contains(&code.as_str())) {
        complaints.push(format!("{count} answers with code {code}"));
    }
    complaints.extend(growth(samples));
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// How many requests were answered with which code, those of all clients.
fn codes(metrics: &str) -> BTreeMap<String, u64> {
    let mut codes = BTreeMap::new();
    for line in metrics.lines().filter_map(|line| line.strip_prefix("apiserver_request_total{")) {
        let code = line.split_once("code=\"").and_then(|(_, rest)| rest.split('"').next());
        let count = line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok());
        *codes.entry(code.unwrap_or("?").to_owned()).or_default() += count.unwrap_or_default();
    }
    codes
}

/// A complaint if the memory of the last fifth is larger than that of the first after the warm-up.
fn growth(samples: &[Sample]) -> Option<String> {
    let duration = samples.last()?.elapsed;
    if duration < MIN_DURATION {
        return None;
    }
    let warm: Vec<u64> =
        samples.iter().filter(|sample| sample.elapsed >= WARM_UP).map(|sample| sample.bytes).collect();
    let part = warm.len() / 5;
    let (first, last) = (median(&warm[..part])?, median(&warm[warm.len() - part..])?);
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let highest = warm.iter().copied().max()?;
    println!(
        "memory after ten minutes {:.0} MiB, at the end {:.0} MiB, at most {:.0} MiB",
        megabytes(first),
        megabytes(last),
        megabytes(highest)
    );
    let allowed = first + MIN_GROWTH_BYTES.max((first as f64 * MAX_GROWTH) as u64);
    (last > allowed).then(|| format!("the memory grows: {first} bytes, then {last}"))
}

fn median(bytes: &[u64]) -> Option<u64> {
    let mut sorted = bytes.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(bytes: impl Fn(u64) -> u64) -> Vec<Sample> {
        let one = |second: u64| Sample { elapsed: Duration::from_secs(second), bytes: bytes(second) };
        (0..3600).step_by(5).map(one).collect()
    }

    #[test]
    fn growth_counts_after_the_warm_up_only() {
        assert_eq!(growth(&samples(|second| (second.min(500) + 100) << 20)), None);
        assert!(growth(&samples(|second| (second + 100) << 16)).is_some());
        let short: Vec<Sample> = samples(|second| (second + 1) << 20).into_iter().take(12).collect();
        assert_eq!(growth(&short), None);
    }

    #[test]
    fn codes_are_added_up() {
        let text = "# HELP x\napiserver_request_total{verb=\"GET\",code=\"200\"} 3\n\
                    apiserver_request_total{verb=\"LIST\",code=\"200\"} 4\napiserver_request_total{code=\"503\"} 1\n";
        assert_eq!(codes(text), BTreeMap::from([("200".to_owned(), 7), ("503".to_owned(), 1)]));
    }
}
