//! `cargo xtask protobuf`: writes the table of messages that kubemerge-server reads protobuf bodies with, and the
//! bodies that test it.
//!
//! Both are from the reference program, which has Kubernetes' Go types: numbers and JSON names of fields are in
//! their tags, and its encoder writes the bodies.

use std::{fmt::Write, fs, process::ExitCode};

use kubemerge_schema::{Dialect, Schema, builtin};
use serde::Deserialize;
use serde_json::value::RawValue;

use kubemerge_test_support::reference::Reference;

pub(crate) const HELP: &str = "\
Generate the table of protobuf messages that the server reads bodies with (needs Go)

usage: cargo xtask protobuf

Reads field numbers and JSON names from Kubernetes' Go types and writes messages.txt of the server, and the bodies
of that folder, which its tests decode.
";

const TABLE: &str = "crates/kubemerge-server/src/protocol/protobuf/messages.txt";
const BODIES: &str = "crates/kubemerge-server/src/protocol/protobuf/bodies.txt";

/// The reply of the reference program.
#[derive(Deserialize)]
struct Reply {
    result: Option<Tables>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Tables {
    messages: String,
    bodies: Vec<Body>,
}

/// An object in both encodings, named by its version, kind and filling.
#[derive(Deserialize)]
struct Body {
    name: String,
    protobuf: String,
    json: Box<RawValue>,
}

/// Writes the table and the bodies; needs Go.
pub(crate) fn run(_arguments: &[String]) -> ExitCode {
    let mut reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    match ask(&mut reference).and_then(|tables| write(&tables)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn ask(reference: &mut Reference) -> Result<Tables, String> {
    let replies = reference.ask(&[r#"{"op":"protobuf"}"#.to_string()])?;
    let reply: Reply = serde_json::from_str(&replies.concat()).map_err(|error| error.to_string())?;
    reply.result.ok_or_else(|| format!("the reference program: {}", reply.error.unwrap_or_default()))
}

fn write(tables: &Tables) -> Result<(), String> {
    let served: Vec<&Body> = tables.bodies.iter().filter(|body| is_served(body)).collect();
    let mut bodies = String::new();
    for body in &served {
        // Writing to a string cannot fail.
        let _ = writeln!(bodies, "{}\n{}\n{}", body.name, body.protobuf, body.json);
    }
    for (path, text) in [(TABLE, &tables.messages), (BODIES, &bodies)] {
        fs::write(kubemerge_test_support::root().join(path), text)
            .map_err(|error| format!("{path}: {error}"))?;
    }
    let messages = tables.messages.lines().filter(|line| !line.starts_with(' ')).count();
    println!("{TABLE}: {messages} messages\n{BODIES}: {} bodies", served.len());
    Ok(())
}

/// Whether any release serves the kind. Go has kinds that none does any longer.
fn is_served(body: &Body) -> bool {
    let mut words = body.name.split(' ');
    let (version, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let serves = |release: builtin::Release| {
        let schema = Schema::builtin(release.version, Dialect::Upstream);
        schema.is_ok_and(|schema| schema.type_of(version, kind).is_some())
    };
    kind == "DeleteOptions" || builtin::releases().into_iter().any(serves)
}
