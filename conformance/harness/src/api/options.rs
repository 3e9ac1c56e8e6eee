//! The options of `cargo xtask conformance --api`.

use std::path::PathBuf;

use crate::apiserver::{DEFAULT_PORT, Settings};

/// Areas of a run; the order is that of the help text.
pub(crate) const AREAS: [&str; 16] = [
    "create",
    "update",
    "patch",
    "apply",
    "managers",
    "empties",
    "immutable",
    "lifecycle",
    "subresource",
    "read",
    "table",
    "watch",
    "definition",
    "custom",
    "discovery",
    "openapi",
];

/// What a run was told.
pub(crate) struct Options {
    pub(crate) requests: usize,
    pub(crate) seed: u64,
    pub(crate) only: String,
    pub(crate) areas: Vec<String>,
    pub(crate) manifests: Option<PathBuf>,
    pub(crate) server: Settings,
    pub(crate) top: usize,
    pub(crate) report: Option<PathBuf>,
}

impl Options {
    pub(super) fn read(arguments: &[String]) -> Result<Options, String> {
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        // A watch waits for its timeout, which takes longer than all the rest.
        let by_default = AREAS.iter().filter(|area| **area != "watch");
        let mut options = Options {
            requests: 2000,
            seed: clock.as_nanos() as u64 % 1_000_000_007,
            only: String::new(),
            areas: by_default.map(ToString::to_string).collect(),
            manifests: None,
            server: Settings { port: DEFAULT_PORT, ..Settings::default() },
            top: 40,
            report: None,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            options.set(word, value)?;
        }
        match options.areas.iter().find(|area| !AREAS.contains(&area.as_str())) {
            Some(area) => Err(format!("there is no area {area}")),
            None => Ok(options),
        }
    }

    fn set(&mut self, word: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<usize>().map_err(|_| format!("{word} needs a number, not {value:?}"));
        let list = || value.split(',').map(str::to_string).collect();
        match word {
            "--requests" => self.requests = number()?,
            "--seed" => self.seed = number()? as u64,
            "--only" => self.only = value.to_string(),
            "--area" => self.areas = list(),
            "--manifests" => self.manifests = Some(value.into()),
            "--port" => {
                self.server.port = value.parse().map_err(|_| format!("--port {value}: not a port"))?;
            }
            "--plugins" => self.server.plugins = list(),
            "--top" => self.top = number()?,
            "--report" => self.report = Some(value.into()),
            other => return Err(format!("there is no option {other}")),
        }
        Ok(())
    }

    pub(crate) fn has(&self, area: &str) -> bool {
        self.areas.iter().any(|wanted| wanted == area)
    }
}
