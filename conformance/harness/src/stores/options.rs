//! The options of the tasks that start servers.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::serve_process;

/// What the soak test was told.
pub(super) struct SoakOptions {
    pub(super) duration: Duration,
    pub(super) controllers: Controllers,
    pub(super) store: Option<String>,
    server: Option<PathBuf>,
}

/// Whether Kubernetes' own controllers are among the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controllers {
    Absent,
    Present,
}

impl SoakOptions {
    /// Reads the duration and what follows.
    pub(super) fn read(arguments: &[String]) -> Result<SoakOptions, String> {
        let (duration, rest) = arguments.split_first().ok_or("--soak needs a duration")?;
        let mut options = SoakOptions {
            duration: duration_of(duration)?,
            controllers: Controllers::Absent,
            store: None,
            server: None,
        };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--controllers" => options.controllers = Controllers::Present,
                "--store" => options.store = Some(value()?.clone()),
                "--server" => options.server = Some(value()?.into()),
                other => return Err(format!("there is no option {other}")),
            }
        }
        Ok(options)
    }

    /// The command to run.
    pub(super) fn program(&self) -> Result<PathBuf, String> {
        program(self.server.as_deref())
    }
}

/// What the comparison was told.
pub(super) struct LoadOptions {
    /// How long each operation is measured.
    pub(super) seconds: u64,
    /// How many objects there are when memory is measured.
    pub(super) objects: u64,
    /// Names of servers, with commas.
    pub(super) stores: String,
    server: Option<PathBuf>,
}

impl LoadOptions {
    pub(super) fn read(arguments: &[String]) -> Result<LoadOptions, String> {
        let stores = "memory,file,kube-apiserver".to_owned();
        let mut options = LoadOptions { seconds: 10, objects: 100_000, stores, server: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse().map_err(|_| format!("{word} {value}: not a number"));
            match word.as_str() {
                "--seconds" => options.seconds = number()?,
                "--objects" => options.objects = number()?,
                "--stores" => options.stores = value.clone(),
                "--server" => options.server = Some(value.into()),
                other => return Err(format!("there is no option {other}")),
            }
        }
        Ok(options)
    }

    /// The command to run.
    pub(super) fn program(&self) -> Result<PathBuf, String> {
        program(self.server.as_deref())
    }
}

fn program(given: Option<&Path>) -> Result<PathBuf, String> {
    given.map_or_else(|| serve_process::build("release"), |path| Ok(path.to_owned()))
}

/// `90s`, `10m` or `1h`.
fn duration_of(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no duration such as 90s, 10m or 1h");
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(wrong()),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    Ok(Duration::from_secs(seconds) * number)
}

/// A folder that exists and is empty.
pub(super) fn fresh_folder(path: &Path) -> Result<(), String> {
    let complaint = |error: std::io::Error| format!("{}: {error}", path.display());
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(complaint(error)),
        _ => fs::create_dir_all(path).map_err(complaint),
    }
}
