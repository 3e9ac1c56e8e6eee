//! What Linux reports about a running process: CPU time, memory, whether it has ended.

use std::{fs, time::Duration};

/// What `sysconf(_SC_CLK_TCK)` answers on every Linux.
const TICKS_PER_SECOND: u64 = 100;

/// CPU time of processes, in the program and in the kernel.
pub(crate) fn cpu_time(processes: &[u32]) -> Duration {
    let ticks: u64 = processes.iter().filter_map(|pid| ticks(*pid)).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// Memory that processes have, in bytes; what they share counts for each.
pub(crate) fn resident_bytes(processes: &[u32]) -> u64 {
    processes.iter().filter_map(|pid| resident(*pid)).sum()
}

/// Whether a process has ended and waits for its parent to notice.
pub(crate) fn is_zombie(pid: u32) -> bool {
    fields(pid).is_some_and(|fields| fields.first().is_some_and(|state| state == "Z"))
}

fn ticks(pid: u32) -> Option<u64> {
    let fields = fields(pid)?;
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // `utime` and `stime` are fields 14 and 15 of the file, in which the state is field 3.
    Some(number(11)? + number(12)?)
}

/// The fields of `/proc/PID/stat` after the name, which may have spaces and parentheses.
fn fields(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}
