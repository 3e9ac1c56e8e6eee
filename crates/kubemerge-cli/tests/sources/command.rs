//! The command, which is given the document by `--schema` and an overlay by `--overlay`.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use kubemerge_schema::Dialect;
use serde_json::Value;

use super::{
    Causes, EntryPoint, Findings, MANAGERS, NOT_SUPPORTED, causes, engine::changed, given::Source, word,
};

/// The command in a folder that has the document and the object.
pub(super) struct TheCommand(pub(super) PathBuf);

impl TheCommand {
    /// What a subcommand prints as JSON.
    fn run(&self, source: &Source, arguments: &[&str]) -> Value {
        let output = self.output(source, arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{arguments:?}: {error}: {text} {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    fn output(&self, source: &Source, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_kubemerge"))
            .args(arguments)
            .args(["--schema", "schema.json", "-o", "json"])
            .args(source.overlay.iter().flat_map(|_| ["--overlay", "overlay.json"]))
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    fn write(&self, name: &str, content: &Value) {
        fs::write(self.0.join(name), content.to_string()).unwrap();
    }
}

/// The object that is printed.
fn object(answer: Value) -> Value {
    if answer.is_array() { answer[0].clone() } else { answer }
}

impl EntryPoint for TheCommand {
    fn name(&self) -> &'static str {
        "command"
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        let (change, dialect) = (change.to_string(), word(source.judge));
        let patch = ["--type", "merge", "-p", &change, "--dialect", dialect];
        let answer = self.run(source, &[&["explain", "-f", "object.json"], &patch[..]].concat());
        causes(&answer[0]["refusal"])
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let change = source.strategic.to_string();
        let patch = ["patch", "-f", "object.json", "-p", &change, "--dialect", word(dialect)];
        object(self.run(source, &patch))[source.part].clone()
    }

    fn takes_strategic(&mut self, source: &Source, dialect: Dialect) -> bool {
        let change = source.strategic.to_string();
        let patch = ["patch", "-f", "object.json", "-p", &change, "--dialect", word(dialect)];
        let output = self.output(source, &patch);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || said.contains(NOT_SUPPORTED), "{said}");
        output.status.success()
    }

    fn applied(&mut self, source: &Source, config: &Value) -> Value {
        self.write("config.json", config);
        let dialect = word(source.judge);
        let apply = ["apply", "--server-side", "--force-conflicts", "--dialect", dialect, "--field-manager"];
        let [first, second] = MANAGERS;
        let live = self.run(source, &[&apply[..], &[first, "-f", "object.json"]].concat());
        self.write("live.json", &object(live));
        let again = [second, "-f", "config.json", "--live", "live.json"];
        object(self.run(source, &[&apply[..], &again].concat()))[source.part].clone()
    }

    fn linted(&mut self, source: &Source, change: &Value) -> Option<Findings> {
        self.write("changed.json", &changed(source, change));
        let found = self.run(source, &["lint", "changed.json"]);
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        Some(found.as_array().unwrap().iter().map(|one| (text(one, "code"), text(one, "message"))).collect())
    }
}
