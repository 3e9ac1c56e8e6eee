//! `cargo xtask protobuf`: writes the table of protobuf messages that kubemerge-server reads bodies with.
//!
//! The field numbers are facts of Kubernetes' `generated.proto` files; Go's module cache provides them. Each
//! message is a line with its name, each field a line with number, name and type.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

pub(crate) const HELP: &str = "\
Generate the table of protobuf messages that the server reads bodies with (needs Go)

usage: cargo xtask protobuf

Reads field numbers from Kubernetes' generated.proto files and writes messages.txt of the server.
";

const MODULES: [&str; 4] =
    ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"];
const VERSION: &str = "v0.37.2";
const TABLE: &str = "crates/kubemerge-server/src/protocol/protobuf/messages.txt";

/// Writes the table; needs Go.
pub(crate) fn run(_arguments: &[String]) -> ExitCode {
    let mut files = Vec::new();
    for module in MODULES {
        match module_folder(module) {
            Some(folder) => collect(&folder, &mut files),
            None => {
                eprintln!("xtask: cannot download {module}@{VERSION}; is Go installed?");
                return ExitCode::FAILURE;
            }
        }
    }
    files.sort();
    let mut messages: Vec<String> = files.iter().flat_map(|file| messages(file)).collect();
    messages.sort();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).join(TABLE);
    match fs::write(&table, messages.concat()) {
        Ok(()) => {
            println!("{TABLE}: {} messages", messages.len());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("xtask: {}: {error}", table.display());
            ExitCode::FAILURE
        }
    }
}

fn module_folder(module: &str) -> Option<PathBuf> {
    let arguments = ["mod", "download", "-json", &format!("{module}@{VERSION}")].map(str::to_string);
    let output = Command::new("go").args(arguments).output().ok()?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    answer["Dir"].as_str().map(PathBuf::from)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.file_name().is_some_and(|name| name == "generated.proto") {
            files.push(path);
        }
    }
}

/// The messages of a file, each as the lines of the table.
fn messages(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let package =
        text.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';')).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("message ").and_then(|rest| rest.strip_suffix(" {")) {
            found.push(format!("{package}.{name}\n"));
        } else if let (Some(field), Some(message)) = (field(line.trim(), package), found.last_mut()) {
            message.push_str(&field);
        }
    }
    found
}

/// `optional string name = 1;` becomes ` 1 name string`; repeated types begin with `*`, maps with `%`.
fn field(line: &str, package: &str) -> Option<String> {
    let (left, number) = line.strip_suffix(';')?.split_once(" = ")?;
    let number: u32 = number.split_whitespace().next()?.parse().ok()?;
    let (kind, name) = left.rsplit_once(' ')?;
    let name = if package.ends_with("apis.apiextensions.v1") { schema_name(name) } else { name.to_string() };
    let kind = if let Some(inner) = kind.strip_prefix("map<string, ") {
        format!("%{}", absolute(inner.strip_suffix('>')?, package))
    } else if let Some(inner) = kind.strip_prefix("repeated ") {
        format!("*{}", absolute(inner, package))
    } else {
        absolute(kind.strip_prefix("optional ")?, package)
    };
    Some(format!(" {number} {name} {kind}\n"))
}

/// The JSON name of a field of a definition's schema, which protobuf cannot spell.
fn schema_name(name: &str) -> String {
    match name {
        "ref" => "$ref".to_string(),
        _ if name.starts_with("xKubernetes") => {
            let word = |c: char| {
                if c.is_uppercase() { format!("-{}", c.to_ascii_lowercase()) } else { c.to_string() }
            };
            name.chars().map(word).collect()
        }
        _ => name.to_string(),
    }
}

fn absolute(kind: &str, package: &str) -> String {
    match kind.strip_prefix('.') {
        Some(name) => name.to_string(),
        None if kind.starts_with(char::is_uppercase) => format!("{package}.{kind}"),
        None => kind.to_string(),
    }
}
