//! The table that docs/envtest.md has: a row for each package, both sides beside each other.

use super::go_module::Run;

pub(super) const HEAD: &str = "\
| package | passed: kubemerge | kube-apiserver | time: kubemerge | kube-apiserver | processor: kubemerge | kube-apiserver | memory: kubemerge | kube-apiserver |
|---|---:|---:|---:|---:|---:|---:|---:|---:|";

/// A row of one or two runs, ours first.
pub(super) fn row(package: &str, runs: &[Run]) -> String {
    let cells = |cell: fn(&Run) -> String| runs.iter().map(cell).collect::<Vec<_>>().join(" | ");
    [
        cells(|run| format!("{} of {}", run.outcomes.passed(), run.outcomes.len())),
        cells(|run| format!("{:.1} s", run.figures.time.as_secs_f64())),
        cells(|run| format!("{:.1} s", run.figures.cpu.as_secs_f64())),
        cells(|run| format!("{} MiB", run.figures.peak_bytes >> 20)),
    ]
    .into_iter()
    .fold(format!("| {package} |"), |row, cells| format!("{row} {cells} |"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::suites::{
        measured::Figures,
        outcome::{Outcome, Outcomes},
    };

    #[test]
    fn rows_have_both_sides_beside_each_other() {
        let run = |seconds, mebibytes: u64| {
            let mut outcomes = Outcomes::default();
            outcomes.add("a".to_owned(), Outcome::Passed);
            let cpu = Duration::from_millis(250);
            let time = Duration::from_secs(seconds);
            Run { outcomes, figures: Figures { time, cpu, peak_bytes: mebibytes << 20 } }
        };
        let row = row("pkg/a", &[run(1, 15), run(20, 326)]);
        assert_eq!(row, "| pkg/a | 1 of 1 | 1 of 1 | 1.0 s | 20.0 s | 0.2 s | 0.2 s | 15 MiB | 326 MiB |");
    }
}
