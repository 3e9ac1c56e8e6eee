//! Executes entries: commands in a folder with their files, requests on a server that is started there.

use crate::{
    design::{
        answer::Given,
        entry::{Command, Document, Expected, Request, Requirement, Server},
    },
    server_process,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process,
};

/// Where the entries of one document are executed.
pub(crate) struct Stage<'a> {
    files: &'a BTreeMap<String, Value>,
}

impl Stage<'_> {
    pub(crate) fn new(document: &Document) -> Stage<'_> {
        Stage { files: &document.files }
    }

    /// Executes an entry and says what differs.
    pub(crate) fn execute(&self, entry: &Requirement) -> Vec<String> {
        let folder = self.folder(entry);
        let mut complaints: Vec<String> =
            entry.commands.iter().flat_map(|command| command_complaints(command, &folder)).collect();
        if let Some(server) = &entry.server {
            complaints.extend(server_complaints(server, &folder));
        }
        let requests = entry.server.as_ref().map_or(0, |server| server.requests.len());
        if entry.commands.len() + requests == 0 {
            complaints.push("has neither commands nor requests".into());
        }
        complaints.iter().map(|complaint| format!("{}: {complaint}", entry.id)).collect()
    }

    /// A fresh folder with the files of the document and of the entry.
    fn folder(&self, entry: &Requirement) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("design").join(&entry.id);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, content) in self.files.iter().chain(&entry.files) {
            let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            fs::write(folder.join(name), text).unwrap();
        }
        folder
    }
}

fn command_complaints(command: &Command, folder: &Path) -> Vec<String> {
    let expected = command.expected();
    if let Some(fault) = unusable(&expected, |one| one.answer.status.is_some()) {
        return vec![format!("`{}`: {fault}", command.run)];
    }
    let differences = expected.iter().flat_map(|Expected { dialect, answer }| {
        let complaints = answer.complaints(answer.exit.unwrap_or(0), &run(&command.run, dialect, folder));
        complaints.into_iter().map(move |complaint| format!("`{}` {dialect}: {complaint}", command.run))
    });
    differences.collect()
}

/// Why answers cannot be compared, if so.
fn unusable(expected: &[Expected<'_>], foreign: impl Fn(&Expected<'_>) -> bool) -> Option<&'static str> {
    match expected {
        [] => Some("expects nothing"),
        _ if expected.iter().any(|one| !one.answer.says_something()) => Some("has an empty answer"),
        _ if expected.iter().any(foreign) => Some("`exit` is for commands, `status` for requests"),
        _ => None,
    }
}

fn run(line: &str, dialect: &str, folder: &Path) -> Given {
    let binary = Path::new(env!("CARGO_BIN_EXE_kubemerge")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let output = process::Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .env("DIALECT", dialect)
        .env("LC_ALL", "C.UTF-8")
        .stdin(process::Stdio::null())
        .output()
        .unwrap();
    Given {
        code: output.status.code().unwrap_or(-1),
        result: String::from_utf8_lossy(&output.stdout).into_owned(),
        notes: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Asks a server of each dialect that an answer is expected of.
fn server_complaints(server: &Server, folder: &Path) -> Vec<String> {
    let mut complaints = Vec::new();
    for request in &server.requests {
        let fault =
            unusable(&request.expected(), |one| one.answer.exit.is_some() || one.answer.status.is_none());
        complaints.extend(fault.map(|fault| format!("{}: {fault}", request.send)));
    }
    let expects = |request: &Request, dialect| request.expected().iter().any(|one| one.dialect == dialect);
    for dialect in ["upstream", "spec", ""] {
        if server.requests.iter().any(|request| expects(request, dialect)) {
            complaints.extend(requests_complaints(server, dialect, folder));
        }
    }
    complaints
}

/// Sends all requests to a server of one dialect; those without an answer for it are sent as well.
fn requests_complaints(server: &Server, dialect: &'static str, folder: &Path) -> Vec<String> {
    let arguments = server.arguments.replace("$DIALECT", dialect);
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let Some(process) = server_process::Server::start_in(folder, &arguments) else {
        return vec![format!("`kubemerge serve {}` does not start", arguments.join(" "))];
    };
    let mut complaints = Vec::new();
    for request in &server.requests {
        let given = send(&process, request);
        for expected in request.expected().iter().filter(|one| one.dialect == dialect) {
            let status = expected.answer.status.unwrap_or_default();
            let found = expected.answer.complaints(status, &given);
            complaints.extend(found.iter().map(|one| format!("{} {dialect}: {one}", request.send)));
        }
    }
    complaints
}

fn send(process: &server_process::Server, request: &Request) -> Given {
    let (method, path) = request.send.split_once(' ').unwrap_or(("GET", &request.send));
    let content_type = request.patch.map_or("application/json", |patch| patch.content_type());
    let body = if request.body.is_null() { String::new() } else { request.body.to_string() };
    let text = process.ask(method, path, &format!("content-type: {content_type}\r\n"), &body);
    let (header, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = header.split(' ').nth(1).and_then(|status| status.parse().ok());
    Given { code: status.unwrap_or(-1), result: body.to_owned(), notes: header.to_owned() }
}
