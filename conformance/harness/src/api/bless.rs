//! `cargo xtask bless --api`: records the answers of kube-apiserver in `conformance/api/<group>/<kind>.yaml`.

use kubemerge_schema::builtin::NEWEST_RELEASE;
use kubemerge_test_support::recording::{self, Case, normal::Owners};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use super::{
    cases,
    help::printed_help,
    kinds::{self, Kind},
    recorder::Recorder,
};
use crate::apiserver::{Client, Instance, Settings};

/// What `cargo xtask bless --api --help` prints.
pub(crate) const HELP: &str = "\
usage: cargo xtask bless --api [--generate yes] [--only LABEL] [--port N]

Records the answers of a real kube-apiserver in conformance/api/<group>/<kind>.yaml and prints which files changed.

options:
  --generate yes   make the requests anew from conformance/api/objects instead of repeating those of the files
  --only LABEL     only kinds whose apiVersion/kind contains LABEL
  --port N         port of the real server (16443); it is started if it is not running
";

/// Servers with plugins are on other ports: the one that is running stays.
const PLUGIN_PORT_OFFSET: u16 = 10;

/// envtest turns ServiceAccount off, for which it has no controller.
const PLUGINS_OF_ENVTEST: [&str; 2] = ["LimitRanger", "ResourceQuota"];

enum Source {
    Files,
    Objects,
}

/// Records and writes.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if printed_help(arguments, HELP) {
        return ExitCode::SUCCESS;
    }
    match record(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("bless: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn record(arguments: &[String]) -> Result<(), String> {
    let (mut source, mut only, mut settings) = (Source::Files, String::new(), Settings::default());
    for pair in arguments.chunks(2) {
        match pair {
            [word, _] if word == "--generate" => source = Source::Objects,
            [word, value] if word == "--only" => only = value.clone(),
            [word, value] if word == "--port" => {
                settings.port = value.parse().map_err(|_| format!("--port {value}: not a port"))?;
            }
            _ => return Err(format!("there is no option {}", pair.join(" "))),
        }
    }
    let instance = Instance::start(&settings)?;
    let mut client = instance.client()?;
    let kinds = kinds::served(&mut client, None)?;
    let mut requests = 0;
    for kind in kinds.iter().filter(|kind| kind.label().contains(&only)) {
        requests += record_kind(kind, &source, &mut client)?;
    }
    if "example.com/v1/Widget".contains(&only) {
        let path = kubemerge_test_support::root().join("conformance/api/custom/widget.yaml");
        requests += record_file(&path, &source, &mut client, cases::record_custom)?;
    }
    let by_hand = ["apply", "actions", "directories"].map(|folder| files_in(folder, &only));
    for path in by_hand.into_iter().collect::<Result<Vec<_>, _>>()?.concat() {
        requests += record_file(&path, &Source::Files, &mut client, |_| Ok(Vec::new()))?;
    }
    for path in files_in("plugins", &only)? {
        let plugin = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        requests += record_with_plugins(&[path], vec![plugin], settings.port)?;
    }
    let plugins = PLUGINS_OF_ENVTEST.map(str::to_owned).to_vec();
    requests += record_with_plugins(&files_in("alone", &only)?, plugins, settings.port)?;
    println!("{requests} requests");
    Ok(())
}

/// Sequences with plugins that are off by default, of a server of their own.
fn record_with_plugins(paths: &[PathBuf], plugins: Vec<String>, port: u16) -> Result<usize, String> {
    if paths.is_empty() {
        return Ok(0);
    }
    let instance =
        Instance::start(&Settings { port: port + PLUGIN_PORT_OFFSET, plugins, ..Settings::default() })?;
    let mut client = instance.client()?;
    let requests =
        paths.iter().map(|path| record_file(path, &Source::Files, &mut client, |_| Ok(Vec::new()))).sum();
    instance.stop()?;
    requests
}

/// Sequences whose requests are not made from objects: `apply` and `directories`, which compare the owners of fields,
/// `actions`, `alone` and `plugins`.
fn files_in(folder: &str, only: &str) -> Result<Vec<PathBuf>, String> {
    let folder = kubemerge_test_support::root().join("conformance/api").join(folder);
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().contains(only));
    paths.sort();
    Ok(paths)
}

fn record_kind(kind: &Kind, source: &Source, client: &mut Client) -> Result<usize, String> {
    record_file(&file_of(kind), source, client, |recorder| cases::record(kind, recorder))
}

fn record_file(
    path: &Path,
    source: &Source,
    client: &mut Client,
    make: impl FnOnce(&mut Recorder<'_>) -> Result<Vec<Case>, String>,
) -> Result<usize, String> {
    // Elsewhere managedFields would be most of every answer.
    let has_owners =
        path.parent().is_some_and(|folder| folder.ends_with("apply") || folder.ends_with("directories"));
    let owners = if has_owners { Owners::Compared } else { Owners::Ignored };
    let mut recorder = Recorder::new(client, owners);
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let cases: Vec<Case> = match source {
        Source::Objects => make(&mut recorder)?,
        Source::Files if before.is_empty() => Vec::new(),
        Source::Files => {
            let old = recording::read(&before).map_err(|error| format!("{}: {error}", path.display()))?;
            old.iter().map(|case| recorder.again(case)).collect::<Result<_, _>>()?
        }
    };
    let text = recording::write(&cases, NEWEST_RELEASE);
    // A kind that the real server does not serve keeps its file.
    if text != before && !cases.is_empty() {
        println!("{}", path.display());
        write(path, &text)?;
    }
    Ok(cases.iter().map(|case| case.steps.len()).sum())
}

/// `conformance/api/apps/deployment.yaml`; a version other than v1 is part of the name.
fn file_of(kind: &Kind) -> PathBuf {
    let (group, version) = kind.api_version.split_once('/').unwrap_or(("core", &kind.api_version));
    let suffix = if version == "v1" { String::new() } else { format!(".{version}") };
    let name = format!("{}{suffix}.yaml", kind.kind.to_lowercase());
    kubemerge_test_support::root().join("conformance/api").join(group).join(name)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
