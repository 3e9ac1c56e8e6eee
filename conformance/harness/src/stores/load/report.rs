//! The figures of a run, as tables.

use std::{fmt, time::Duration};

use super::{clients::Timings, contender::Contender};

/// What requests of one kind cost.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    /// Microseconds of the server's CPU time for each request.
    cpu: f64,
    p50: Duration,
    p99: Duration,
    per_second: f64,
}

impl Figures {
    pub(super) fn new(timings: Timings, cpu: Duration, took: Duration) -> Figures {
        let mut sorted = timings.0;
        sorted.sort_unstable();
        let count = sorted.len().max(1);
        let at =
            |percent: usize| sorted.get((count * percent / 100).min(count - 1)).copied().unwrap_or_default();
        Figures {
            cpu: cpu.as_secs_f64() * 1e6 / count as f64,
            p50: at(50),
            p99: at(99),
            per_second: sorted.len() as f64 / took.as_secs_f64(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p50, p99) = (milliseconds(self.p50), milliseconds(self.p99));
        write!(f, "{:.0} µs of CPU time, p50 {p50} ms, p99 {p99} ms, {:.0}/s", self.cpu, self.per_second)
    }
}

/// What many objects cost.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) disk: u64,
    /// None if objects do not outlive the server.
    pub(super) start: Option<Duration>,
    pub(super) bytes_after_start: Option<u64>,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memory, disk) = (megabytes(self.bytes), megabytes(self.disk));
        write!(f, "{} objects: {memory} MiB of memory, {disk} MiB on the disk", self.objects)?;
        if let (Some(start), Some(bytes)) = (self.start, self.bytes_after_start) {
            write!(f, ", ready after {:.1} s, {} MiB then", start.as_secs_f64(), megabytes(bytes))?;
        }
        Ok(())
    }
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64() * 1e3)
}

fn megabytes(bytes: u64) -> u64 {
    bytes >> 20
}

/// All figures of a run.
#[derive(Default)]
pub(super) struct Report {
    rows: Vec<(String, &'static str, Figures)>,
    held: Vec<(&'static str, Held)>,
}

impl Report {
    pub(super) fn add(&mut self, operation: &str, contender: &'static str, figures: Figures) {
        self.rows.push((operation.to_owned(), contender, figures));
    }

    pub(super) fn hold(&mut self, contender: &'static str, held: Held) {
        self.held.push((contender, held));
    }

    /// The tables, operations together.
    pub(super) fn markdown(&self) -> String {
        let mut text = "\n| operation | server | CPU per request | p50 | p99 | per second | CPU, times less | p99, times less |\n\
                        |---|---|---|---|---|---|---|---|\n"
            .to_owned();
        let mut operations: Vec<&str> = Vec::new();
        for (operation, ..) in &self.rows {
            if !operations.contains(&operation.as_str()) {
                operations.push(operation);
            }
        }
        for operation in operations {
            text.extend(self.rows.iter().filter(|row| row.0 == operation).map(|row| self.line(row)));
        }
        text.push_str(
            "\n| server | objects | memory | times less | on the disk | ready after | memory after the start |\n\
             |---|---|---|---|---|---|---|\n",
        );
        text.extend(self.held.iter().map(|(contender, held)| self.held_line(contender, held)));
        text
    }

    fn line(&self, (operation, contender, figures): &(String, &'static str, Figures)) -> String {
        let theirs = self.rows.iter().find(|row| row.0 == *operation && row.1 == Contender::Apiserver.name());
        let ratio =
            |of: fn(&Figures) -> f64| theirs.map_or(String::new(), |row| times(of(&row.2), of(figures)));
        format!(
            "| {operation} | {contender} | {:.0} µs | {} ms | {} ms | {:.0} | {} | {} |\n",
            figures.cpu,
            milliseconds(figures.p50),
            milliseconds(figures.p99),
            figures.per_second,
            ratio(|figures| figures.cpu),
            ratio(|figures| figures.p99.as_secs_f64()),
        )
    }

    fn held_line(&self, contender: &str, held: &Held) -> String {
        let theirs = self.held.iter().find(|row| row.0 == Contender::Apiserver.name());
        let ratio = theirs.map_or(String::new(), |row| times(row.1.bytes as f64, held.bytes as f64));
        let start = held.start.map_or("–".to_owned(), |start| format!("{:.1} s", start.as_secs_f64()));
        let after =
            held.bytes_after_start.map_or("–".to_owned(), |bytes| format!("{} MiB", megabytes(bytes)));
        let disk = if held.disk == 0 { "–".to_owned() } else { format!("{} MiB", megabytes(held.disk)) };
        format!(
            "| {contender} | {} | {} MiB | {ratio} | {disk} | {start} | {after} |\n",
            held.objects,
            megabytes(held.bytes)
        )
    }
}

fn times(theirs: f64, ours: f64) -> String {
    format!("{:.1}", theirs / ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_all_requests() {
        let timings = Timings((1..=200).rev().map(Duration::from_millis).collect());
        let figures = Figures::new(timings, Duration::from_secs(1), Duration::from_secs(10));
        assert_eq!(figures.to_string(), "5000 µs of CPU time, p50 101.0 ms, p99 199.0 ms, 20/s");
        let none = Figures::new(Timings::default(), Duration::ZERO, Duration::from_secs(1));
        assert_eq!(none.to_string(), "0 µs of CPU time, p50 0.0 ms, p99 0.0 ms, 0/s");
    }
}
