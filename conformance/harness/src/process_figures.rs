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
    processes.iter().filter_map(|pid| status_bytes(*pid, "VmRSS:")).sum()
}

/// The most memory that processes have had, in bytes, each at its own time.
pub(crate) fn peak_bytes(processes: &[u32]) -> u64 {
    processes.iter().filter_map(|pid| status_bytes(*pid, "VmHWM:")).sum()
}

/// The running processes whose program has one of these names, of at most 15 letters.
pub(crate) fn named(names: &[&str]) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_named = |pid: &u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        names.contains(&name.trim_end())
    };
    pids.filter(is_named).collect()
}

/// Whether a process was started by another one, or by one that was.
pub(crate) fn is_below(pid: u32, root: u32) -> bool {
    let mut above = parent(pid);
    while let Some(next) = above.filter(|pid| *pid != root) {
        above = parent(next);
    }
    above.is_some()
}

/// The process that has started a process; none of the first one.
fn parent(pid: u32) -> Option<u32> {
    fields(pid)?.get(1)?.parse().ok().filter(|pid| *pid != 0)
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

fn status_bytes(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}
