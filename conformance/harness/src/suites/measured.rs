//! Runs a test program and measures the servers that it starts.

use std::{
    collections::BTreeMap,
    process::{Child, Command},
    time::{Duration, Instant},
};

use crate::process_figures;

/// How often the servers are looked at. What they do after the last look is not counted.
const INTERVAL: Duration = Duration::from_millis(50);

/// The programs whose time and memory are counted.
const SERVERS: [&str; 2] = ["kube-apiserver", "etcd"];

/// What a run needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    /// From the start of the test program to its end.
    pub(super) time: Duration,
    /// Processor time of all servers.
    pub(super) cpu: Duration,
    /// The most memory that the servers of one moment have had, each at its own peak.
    pub(super) peak_bytes: u64,
}

/// Whether the program ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Own,
    /// It was ended because it took too long.
    TimedOut,
}

/// Runs a command to its end, but no longer than the limit.
pub(super) fn run(mut command: Command, limit: Duration) -> Result<(Figures, Ending), String> {
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let mut servers = Servers::default();
    let ending = loop {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            break Ending::Own;
        }
        servers.look(child.id());
        if start.elapsed() > limit {
            end(&mut child);
            break Ending::TimedOut;
        }
        std::thread::sleep(INTERVAL);
    };
    let time = start.elapsed();
    // A test program that was ended, or panicked, leaves its servers.
    servers.end();
    Ok((Figures { time, cpu: servers.cpu.values().sum(), peak_bytes: servers.peak_bytes }, ending))
}

fn end(child: &mut Child) {
    // One that has just ended cannot be ended again.
    drop(child.kill());
    drop(child.wait());
}

/// The servers of a test program so far.
#[derive(Default)]
struct Servers {
    cpu: BTreeMap<u32, Duration>,
    peak_bytes: u64,
}

impl Servers {
    /// Notes what the servers have needed that the process and its children have started.
    fn look(&mut self, root: u32) {
        let running = process_figures::named(&SERVERS);
        let own: Vec<u32> = running.into_iter().filter(|pid| process_figures::is_below(*pid, root)).collect();
        for pid in &own {
            self.cpu.insert(*pid, process_figures::cpu_time(&[*pid]));
        }
        self.peak_bytes = self.peak_bytes.max(process_figures::peak_bytes(&own));
    }

    fn end(&self) {
        for pid in process_figures::named(&SERVERS).iter().filter(|pid| self.cpu.contains_key(pid)) {
            // It may end by itself at this moment.
            drop(Command::new("kill").args(["-KILL", &pid.to_string()]).status());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let (figures, ending) = run(command, Duration::from_millis(1)).unwrap();
        assert_eq!((ending, figures.peak_bytes), (Ending::TimedOut, 0));
        assert_eq!(run(Command::new("true"), Duration::from_mins(10)).unwrap().1, Ending::Own);
    }
}
