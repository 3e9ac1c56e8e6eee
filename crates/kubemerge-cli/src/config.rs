//! `kubemerge.toml`: defaults of a project, from the current folder or the nearest one around it.
//!
//! The file changes the defaults of the options with the same names: `--help` shows them, and an option on the
//! command line overrides them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use serde::Deserialize;

use crate::report::{Excerpt, Notice, Result, plain};

/// The name of the file.
const NAME: &str = "kubemerge.toml";

/// What the file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Config {
    kubernetes: Option<String>,
    dialect: Option<DialectName>,
    duplicate_keys: Option<DuplicateKeysName>,
    #[serde(default)]
    schema: Vec<PathBuf>,
    #[serde(default)]
    overlay: Vec<PathBuf>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    lint: LintConfig,
}

/// `[lint]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LintConfig {
    /// What to check if the command line names nothing.
    #[serde(default)]
    paths: Vec<PathBuf>,
    #[serde(default)]
    ignore: Vec<String>,
    /// Severities by rule.
    #[serde(default)]
    severity: BTreeMap<String, String>,
    min_severity: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DialectName {
    Upstream,
    Spec,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DuplicateKeysName {
    Error,
    Last,
}

impl Config {
    /// Reads the nearest file; none at all changes nothing.
    pub(crate) fn nearest() -> Result<Config> {
        // A folder that was deleted meanwhile has no configuration either.
        let Ok(here) = std::env::current_dir() else { return Ok(Config::default()) };
        // As with Cargo.toml, a command works from any folder inside the project.
        let Some(folder) = here.ancestors().find(|folder| folder.join(NAME).is_file()) else {
            return Ok(Config::default());
        };
        let path = folder.join(NAME);
        // Messages show a file in the current folder by its name alone.
        let path = path.strip_prefix(&here).unwrap_or(&path);
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Notice::error(format!("cannot read {name}: {}", plain(&error))))?;
        let config = parse(&name, &text)?;
        // `design-documents` is the name of an overlay, not a file.
        let is_file = |path: &PathBuf| path.as_os_str() != "design-documents";
        // Paths beside a file in the current folder stay as they are written.
        let base = if folder == here { Path::new("") } else { folder };
        let place = |path: PathBuf| if is_file(&path) { base.join(path) } else { path };
        let beside = |paths: Vec<PathBuf>| paths.into_iter().map(place).collect();
        let lint = LintConfig { paths: beside(config.lint.paths), ..config.lint };
        Ok(Config { schema: beside(config.schema), overlay: beside(config.overlay), lint, ..config })
    }

    /// The command with these defaults, in every subcommand that has the options.
    pub(crate) fn defaults(&self, command: Command) -> Command {
        let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        let command = names
            .into_iter()
            .fold(command, |command, name| command.mut_subcommand(name, |sub| self.defaults(sub)));
        let is_lint = command.get_name() == "lint";
        let command = command.mut_args(|option| self.with_default(option));
        if is_lint { command.mut_args(|option| self.lint.with_default(option)) } else { command }
    }

    fn with_default(&self, option: Arg) -> Arg {
        match option.get_id().as_str() {
            "kubernetes" => match &self.kubernetes {
                Some(version) => option.default_value(version.clone()),
                None => option,
            },
            "dialect" => match &self.dialect {
                Some(DialectName::Upstream) => option.default_value("upstream"),
                Some(DialectName::Spec) => option.default_value("spec"),
                None => option,
            },
            "duplicate_keys" => match &self.duplicate_keys {
                Some(DuplicateKeysName::Error) => option.default_value("error"),
                Some(DuplicateKeysName::Last) => option.default_value("last"),
                None => option,
            },
            "schema" if !self.schema.is_empty() => option.default_values(words(&self.schema)),
            "overlay" if !self.overlay.is_empty() => option.default_values(words(&self.overlay)),
            "exclude" if !self.exclude.is_empty() => option.default_values(self.exclude.clone()),
            _ => option,
        }
    }
}

impl LintConfig {
    fn with_default(&self, option: Arg) -> Arg {
        match option.get_id().as_str() {
            "paths" if !self.paths.is_empty() => option.default_values(words(&self.paths)),
            "ignore" if !self.ignore.is_empty() => option.default_values(self.ignore.clone()),
            "severity" if !self.severity.is_empty() => option
                .default_values(self.severity.iter().map(|(rule, severity)| format!("{rule}={severity}"))),
            "min_severity" => match &self.min_severity {
                Some(severity) => option.default_value(severity.clone()),
                None => option,
            },
            _ => option,
        }
    }
}

fn words(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn parse(name: &str, text: &str) -> Result<Config> {
    toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        Notice::error(error.message()).at(Excerpt::cut(name, text, range, "")).into()
    })
}
