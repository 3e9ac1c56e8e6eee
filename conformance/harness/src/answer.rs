//! `cargo xtask answer`: our side of the conformance protocol.
//!
//! Requests come in on standard input, one JSON object a line; replies go out in the same order, each
//! flushed. A line that cannot be understood is answered with an error, and the stream goes on.
//! `docs/protocol.md` describes both; [`Runner`] answers one line and is what tests and the
//! differential run call.

#[cfg(test)]
mod corpus;
mod generated;
mod operation;
mod refusal;
mod request;
mod schemas;
mod timing;

use std::{
    io::{BufRead, Write},
    process::ExitCode,
};

use serde_json::{Value, json};

use operation::Answer;
use refusal::Refusal;
use request::Request;
use schemas::Schemas;

pub(crate) const HELP: &str = "\
Answer conformance requests on stdin with our engine

usage: cargo xtask answer

Reads one JSON request per line and writes one JSON reply per line, in the same order. docs/protocol.md
describes both. The reference program in conformance/reference answers the same requests with Kubernetes' code.
";

/// Answers until the input ends.
pub(crate) fn run(_arguments: &[String]) -> ExitCode {
    match serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("answer: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve(mut input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut runner = Runner::default();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            let mut reply = runner.reply(&line);
            reply.push('\n');
            output.write_all(reply.as_bytes())?;
            // The client may wait for this reply before it sends the next request.
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

/// Answers requests and keeps the schemas that it has compiled.
#[derive(Default)]
pub(crate) struct Runner {
    schemas: Schemas,
}

impl Runner {
    /// The reply to one line.
    pub(crate) fn reply(&mut self, line: &[u8]) -> String {
        let request = match Request::read(line) {
            Ok(request) => request,
            Err((id, refusal)) => return written(id.as_deref(), Err(refusal)),
        };
        let answer = match request.op {
            "time" => self.timed(&request),
            _ => self.answer(&request),
        };
        written(request.id.map(|id| id.get()), answer)
    }

    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Refusal> {
        let schema = self.schemas.find(request)?;
        operation::carry_out(request, schema.as_deref())
    }

    fn timed(&mut self, request: &Request<'_>) -> Result<Answer, Refusal> {
        let inner =
            request.of.as_deref().ok_or_else(|| Refusal::bad_request("time needs a request in `of`"))?;
        if inner.op == "time" {
            return Err(Refusal::bad_request("time of time is not an operation"));
        }
        let schema = self.schemas.find(inner)?;
        timing::measure(request.repeat, || operation::carry_out(inner, schema.as_deref()))
    }
}

fn written(id: Option<&str>, answer: Result<Answer, Refusal>) -> String {
    let id = id.map(|id| format!("\"id\":{id},")).unwrap_or_default();
    match answer {
        Ok(result) => format!("{{{id}\"result\":{}}}", String::from_utf8_lossy(&result)),
        Err(refusal) => {
            let error = json!({ "kind": refusal.kind, "message": refusal.message, "path": refusal.path });
            format!("{{{id}\"error\":{}}}", Value::to_string(&error))
        }
    }
}
