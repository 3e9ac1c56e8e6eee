//! `cargo xtask kubernetes X.Y.Z`: makes a release of Kubernetes the newest one, and lists what to read.
//!
//! docs/new-kubernetes-version.md is the check list around it.

use std::{
    error::Error,
    fs,
    process::{Command, ExitCode},
};

use kubemerge_test_support::{go_module::download, root};

use super::{go_modules, published, releases, schemas, time_zones, unicode, upstream};

pub(crate) const HELP: &str = "\
Make a release of Kubernetes the newest one: tables, Go modules, kinds to read again (needs Go)

usage: cargo xtask kubernetes X.Y.Z
       cargo xtask kubernetes --list X.Y.Z
       cargo xtask kubernetes --files X.Y.Z

Writes every table that is made from Kubernetes, updates the Go modules of the repository, and lists the kinds whose
sources changed since the newest release so far, with their files. docs/new-kubernetes-version.md says what comes then.

options:
  --list   only list the kinds; nothing is written
  --files  only write the table that kinds are compared with, conformance/upstream-files.txt
";

const PUBLISHED: &str = "crates/kubemerge-server/src/api/openapi/published.txt";
const TIME_ZONES: &str = "crates/kubemerge-kinds/src/groups/batch/time_zones.txt";
const UNICODE: &str = "crates/kubemerge-schema/src/pattern/unicode.txt";

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--list", release] if releases::numbers(release).is_some() => list(release),
        ["--files", release] if releases::numbers(release).is_some() => write_files(release),
        [release] if releases::numbers(release).is_some() => make_newest(release),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("xtask kubernetes: {error}");
            ExitCode::from(2)
        }
    }
}

fn list(release: &str) -> Result<String, Box<dyn Error>> {
    Ok(upstream::difference(&upstream::stored(), &read(release)?))
}

fn write_files(release: &str) -> Result<String, Box<dyn Error>> {
    let kinds = read(release)?;
    upstream::write(release, &kinds)?;
    Ok(format!("{} kinds\n", kinds.len()))
}

fn read(release: &str) -> Result<upstream::Kinds, Box<dyn Error>> {
    upstream::read(&upstream::Modules {
        kubernetes: download(&format!("k8s.io/kubernetes@v{release}"))?,
        extensions: schemas::download_nearest("apiextensions-apiserver", release)?,
        aggregator: schemas::download_nearest("kube-aggregator", release)?,
    })
}

fn make_newest(release: &str) -> Result<String, Box<dyn Error>> {
    let old = releases::newest()?;
    let kinds = read(release)?;
    releases::set_newest(release)?;
    go_modules::update(release, &published_modules(release)?)?;
    schemas::write_tables(None)?;
    let kubernetes = download(&format!("k8s.io/kubernetes@v{release}"))?;
    fs::write(root().join(PUBLISHED), published::table(&kubernetes)?)?;
    fs::write(root().join(TIME_ZONES), time_zones::table()?)?;
    fs::write(root().join(UNICODE), unicode::table()?)?;
    run_anew("protobuf")?;
    let difference = upstream::difference(&upstream::stored(), &kinds);
    upstream::write(release, &kinds)?;
    Ok(format!("{difference}\n{}\nNext: docs/new-kubernetes-version.md\n", places_of(&old)?))
}

/// The version of the modules that are published for a release, of which there may be fewer.
fn published_modules(release: &str) -> Result<String, Box<dyn Error>> {
    let folder = schemas::download_nearest("api", release)?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.split_once("@v").map(|(_, version)| version.to_owned());
    version.ok_or_else(|| format!("{}: no version in the name", folder.display()).into())
}

/// Runs another task in a new build of this program, which has the new tables.
fn run_anew(task: &str) -> Result<(), Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["run", "--quiet", "--package", "xtask", "--features", "tables", "--", task];
    let status = Command::new(cargo).args(words).current_dir(root()).status()?;
    if status.success() { Ok(()) } else { Err(format!("cargo xtask {task}: {status}").into()) }
}

/// Where texts name the version that was the newest: whether each still holds is for people to say.
fn places_of(old: &str) -> Result<String, Box<dyn Error>> {
    let minor = old.rsplit_once('.').map_or(old, |(minor, _)| minor).replace('.', "\\.");
    let output = Command::new("git")
        .args([
            "grep",
            "-cE",
            &format!("\\b{minor}(\\.[0-9]+)?\\b"),
            "--",
            "*.md",
            "*.rs",
            "*.go",
            "*.toml",
            "*.ts",
        ])
        .args([":!CHANGELOG.md", ":!conformance/api", ":!conformance/cases"])
        .current_dir(root())
        .output()?;
    let counts = String::from_utf8(output.stdout)?;
    Ok(format!("Files that name {old} or its minor version, and lines:\n{counts}"))
}
