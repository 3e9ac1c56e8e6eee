//! `kubemerge serve` in a process of its own, which can be ended in any way and started again at the same address.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// How a process ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// SIGKILL: it learns nothing of it.
    Killed,
    /// SIGTERM: it stops in order.
    Terminated,
}

/// What is served, and by which program.
#[derive(Clone)]
pub(crate) struct ServeCommand {
    pub(crate) program: PathBuf,
    /// The options of `serve` without `--port`.
    pub(crate) options: Vec<String>,
    /// Where its diagnostics go.
    pub(crate) log: PathBuf,
}

/// A running server; dropping it kills it.
pub(crate) struct ServeProcess {
    command: ServeCommand,
    child: Child,
    url: String,
    address: SocketAddr,
}

impl ServeProcess {
    /// Starts the server on a free port; it listens when this returns.
    pub(crate) fn start(command: ServeCommand) -> Result<ServeProcess, String> {
        let (child, url) = spawn(&command, 0)?;
        let address = url.rsplit('/').next().unwrap_or_default();
        let address = address.parse().map_err(|error| format!("{url}: {error}"))?;
        Ok(ServeProcess { command, child, url, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process and waits for that.
    pub(crate) fn end(&mut self, ending: Ending) -> Result<(), String> {
        let signal = match ending {
            Ending::Killed => "-KILL",
            Ending::Terminated => "-TERM",
        };
        let sent = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        sent.and_then(|_| self.child.wait()).map(drop).map_err(|error| error.to_string())
    }

    /// Starts the server again at the same address.
    pub(crate) fn start_again(&mut self) -> Result<(), String> {
        (self.child, _) = spawn(&self.command, self.address.port())?;
        Ok(())
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        // One that has ended already cannot be ended again.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn spawn(command: &ServeCommand, port: u16) -> Result<(Child, String), String> {
    let log = open_log(&command.log)?;
    let mut child = Command::new(&command.program)
        .arg("serve")
        .args(["--port", &port.to_string()])
        .args(&command.options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| format!("{}: {error}", command.program.display()))?;
    let mut url = String::new();
    // It prints its URL once it listens, and nothing after that.
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut url).map_err(|error| error.to_string())?;
    }
    if url.is_empty() {
        drop(child.wait());
        return Err(format!("kubemerge serve ended; see {}", command.log.display()));
    }
    Ok((child, url.trim().to_owned()))
}

/// Starts are added to the log of the runs before.
fn open_log(path: &Path) -> Result<File, String> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Builds the command with a profile of cargo; answers its path.
pub(crate) fn build(profile: &str) -> Result<PathBuf, String> {
    let arguments = ["build", "--quiet", "--package", "kubemerge-cli", "--profile", profile];
    let built = Command::new("cargo").args(arguments).current_dir(kubemerge_test_support::root()).status();
    match built {
        Ok(status) if status.success() => {
            let folder = if profile == "dev" { "debug" } else { profile };
            Ok(kubemerge_test_support::target().join(folder).join("kubemerge"))
        }
        Ok(status) => Err(format!("`cargo build`: {status}")),
        Err(error) => Err(format!("cargo cannot be run: {error}")),
    }
}
