//! The two programs of Kubernetes: started with a kubeconfig, their logs in files, ended when they are dropped.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::apiserver;

/// The programs and their flags besides the kubeconfig. They serve nothing themselves.
const PROGRAMS: [(&str, &[&str]); 2] = [
    ("kube-controller-manager", &["--secure-port=0", "--concurrent-job-syncs=2", "--v=1"]),
    ("kube-scheduler", &["--secure-port=0", "--v=1"]),
];

/// How often an error about one object may be logged before it counts as a loop. Controllers log every retry, and
/// retry until their caches have seen what they wrote.
const MAX_REPEATED_ERRORS: usize = 50;

/// Programs that run.
pub(crate) struct Programs {
    running: Vec<(String, Child)>,
    folder: PathBuf,
}

impl Programs {
    /// Why the programs cannot be started here; none if they can.
    #[cfg(test)]
    pub(super) fn missing() -> Option<String> {
        PROGRAMS.iter().find_map(|(name, _)| apiserver::program(name).err())
    }

    pub(super) fn start(folder: &Path, kubeconfig: &str) -> Result<Programs, String> {
        let file = folder.join("kubeconfig");
        fs::write(&file, kubeconfig).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut programs = Programs { running: Vec::new(), folder: folder.to_owned() };
        for (name, flags) in PROGRAMS {
            let program = apiserver::program(name)?;
            let log = File::create(log_file(folder, name)).map_err(|error| error.to_string())?;
            let child = Command::new(&program)
                .arg(format!("--kubeconfig={}", file.display()))
                .args(flags)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .map_err(|error| format!("{}: {error}", program.display()))?;
            programs.running.push((name.to_string(), child));
        }
        Ok(programs)
    }

    /// The name of the first program that ends.
    pub(super) async fn until_one_ends(&mut self) -> Result<String, String> {
        loop {
            for (name, child) in &mut self.running {
                if child.try_wait().map_err(|error| error.to_string())?.is_some() {
                    return Ok(name.clone());
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// What is wrong in the logs: panics, and errors that are logged again and again.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let mut complaints = self.panics();
        for (name, log) in self.logs() {
            let mut errors: BTreeMap<String, (usize, &str)> = BTreeMap::new();
            for line in log.lines().filter(|line| line.starts_with('E')) {
                // `E1116 05:00:00.000000   1234 file.go:12] text`: versions and counters differ, the rest does not.
                let text = line.split_once(']').map_or(line, |(_, text)| text);
                let text = text.chars().filter(|c| !c.is_ascii_digit()).collect();
                let seen = errors.entry(text).or_insert((0, line));
                seen.0 += 1;
            }
            let loops = errors.into_values().filter(|(count, _)| *count > MAX_REPEATED_ERRORS);
            complaints.extend(loops.map(|(count, line)| format!("{name}: {count} times: {line}")));
        }
        complaints
    }

    /// The first panic in each log.
    pub(crate) fn panics(&self) -> Vec<String> {
        let is_panic = |line: &&str| line.contains("panic:") || line.contains("Observed a panic");
        let first =
            |(name, log): (&str, String)| log.lines().find(is_panic).map(|line| format!("{name}: {line}"));
        self.logs().into_iter().filter_map(first).collect()
    }

    /// The names of the programs and what they have logged so far.
    fn logs(&self) -> Vec<(&'static str, String)> {
        let read = |name: &str| fs::read_to_string(log_file(&self.folder, name)).unwrap_or_default();
        PROGRAMS.iter().map(|(name, _)| (*name, read(name))).collect()
    }
}

fn log_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.log"))
}

impl Drop for Programs {
    fn drop(&mut self) {
        for (_, child) in &mut self.running {
            // One that has ended already cannot be ended again.
            drop(child.kill());
            drop(child.wait());
        }
    }
}
