//! Servers: the command's, given the document by `-f` or by `--schema`, and one in this process.

use std::path::{Path, PathBuf};

use kubemerge_schema::{Dialect, Overlay};
use kubemerge_server::{ApiServer, ServeOptions, Serving};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{Causes, EntryPoint, MANAGERS, causes, engine::changed, given::Source, word};
use crate::server_process::{Server, ask};

/// How a server is given the document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// `-f`
    File,
    /// `--schema`
    Schema,
    /// `Builder::crds`
    Crds,
    /// `Builder::openapi`
    OpenApi,
}

/// A way to start servers in a folder that has the document.
pub(super) struct AServer {
    given: Given,
    folder: PathBuf,
    /// One without the object, that judges.
    judge: Option<Running>,
}

/// A server that runs.
enum Running {
    Process(Server),
    /// The server ends with its runtime.
    Here(Serving, #[expect(dead_code, reason = "It runs the server.")] Runtime),
}

impl Running {
    fn ask(&self, method: &str, path: &str, content_type: &str, body: &Value) -> (u16, Value) {
        let url = match self {
            Running::Process(server) => &server.url,
            Running::Here(serving, _) => serving.url(),
        };
        let answer = ask(url, method, path, &format!("content-type: {content_type}\r\n"), &body.to_string());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (code.unwrap(), serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}")))
    }
}

impl AServer {
    pub(super) fn new(given: Given, folder: &Path) -> AServer {
        AServer { given, folder: folder.to_owned(), judge: None }
    }

    fn start(&self, source: &Source, dialect: Dialect) -> Running {
        let option = match self.given {
            Given::File => "-f",
            Given::Schema => "--schema",
            Given::Crds | Given::OpenApi => return self.start_here(source, dialect),
        };
        let mut arguments = vec![option, "schema.json", "--dialect", word(dialect)];
        arguments.extend(source.overlay.iter().flat_map(|_| ["--overlay", "overlay.json"]));
        Running::Process(Server::start_in(&self.folder, &arguments).unwrap())
    }

    fn start_here(&self, source: &Source, dialect: Dialect) -> Running {
        let builder = ApiServer::builder().dialect(dialect);
        let builder = match self.given {
            Given::Crds => builder.crds([&source.document]),
            _ => builder.openapi(source.document.clone()),
        };
        let overlay = source.overlay.as_ref().map(|overlay| Overlay::read(overlay).unwrap());
        let server = overlay.into_iter().fold(builder, kubemerge_server::Builder::overlay).build().unwrap();
        let runtime = Runtime::new().unwrap();
        let serving = runtime.block_on(server.serve(ServeOptions::default())).unwrap();
        Running::Here(serving, runtime)
    }

    /// A server with the object, and that object.
    fn with_object(&self, source: &Source, dialect: Dialect) -> (Running, Value) {
        let server = self.start(source, dialect);
        let (code, created) = server.ask("POST", source.path, "application/json", &source.object);
        assert_eq!(code, 201, "{}: {created}", source.name);
        (server, created)
    }

    fn patch(&self, source: &Source, dialect: Dialect) -> (u16, Value) {
        let (server, _) = self.with_object(source, dialect);
        let path = format!("{}/a", source.path);
        server.ask("PATCH", &path, "application/strategic-merge-patch+json", &source.strategic)
    }
}

impl EntryPoint for AServer {
    fn name(&self) -> &'static str {
        match self.given {
            Given::File => "-f of serve",
            Given::Schema => "--schema of serve",
            Given::Crds => "Builder::crds",
            Given::OpenApi => "Builder::openapi",
        }
    }

    fn stored(&mut self, source: &Source) -> Option<Value> {
        Some(self.with_object(source, Dialect::Upstream).1[source.part].clone())
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        let server = self.judge.take().unwrap_or_else(|| self.start(source, source.judge));
        // Like manifests, which have never been stored: a new object with the change.
        let path = format!("{}?dryRun=All", source.path);
        let (_, status) = server.ask("POST", &path, "application/json", &changed(source, change));
        self.judge = Some(server);
        match status["reason"].as_str() {
            Some("Invalid") => causes(&status["details"]["causes"]),
            _ if status["kind"] != "Status" => Causes::new(),
            reason => [(reason.unwrap_or_default().to_owned(), String::new())].into(),
        }
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let (code, answer) = self.patch(source, dialect);
        assert_eq!(code, 200, "{}: {answer}", source.name);
        answer[source.part].clone()
    }

    fn applied(&mut self, source: &Source, config: &Value) -> Value {
        let server = self.start(source, source.judge);
        let mut applied = json!(null);
        for (config, manager) in [&source.object, config].into_iter().zip(MANAGERS) {
            let path = format!("{}/a?force=true&fieldManager={manager}", source.path);
            let (code, answer) = server.ask("PATCH", &path, "application/apply-patch+yaml", config);
            assert!(code < 300, "{}: {answer}", source.name);
            applied = answer;
        }
        applied[source.part].clone()
    }

    fn takes_strategic(&mut self, source: &Source, dialect: Dialect) -> bool {
        match self.patch(source, dialect) {
            (200, _) => true,
            (415, _) => false,
            (code, answer) => panic!("{}: {code} {answer}", source.name),
        }
    }
}
