//! Real kubectl against the listener, as golden transcripts.
//!
//! A transcript holds commands (`$ kubectl …`), what they print, and their exit code if it is not 0. Every
//! kubectl that is found is tried: the one on the path and its siblings `kubectl.1.27`, `kubectl.1.28`, …, and
//! the one that `KUBEMERGE_KUBECTL` names. `BLESS=1` writes what the first of them prints.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use kubemerge_server::{ApiServer, ServeOptions, Serving};

/// A kubectl on this machine.
struct Kubectl {
    path: PathBuf,
    minor: u32,
}

fn installed() -> Vec<Kubectl> {
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|paths| {
        std::env::split_paths(&paths).map(|folder| folder.join("kubectl")).collect::<Vec<_>>()
    });
    let siblings = on_path.filter_map(|path| path.canonicalize().ok()).flat_map(|path| {
        let mut found = versioned(path.parent().unwrap_or(Path::new("/")));
        if found.is_empty() {
            found.push(path);
        }
        found
    });
    let own = std::env::var_os("KUBEMERGE_KUBECTL").map(PathBuf::from);
    let mut all: Vec<Kubectl> = siblings.chain(own).filter_map(Kubectl::new).collect();
    all.sort_by_key(|kubectl| kubectl.minor);
    all.dedup_by_key(|kubectl| kubectl.minor);
    all
}

/// Files called `kubectl.1.x` in a folder.
fn versioned(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("kubectl.1.")))
        .collect()
}

impl Kubectl {
    fn new(path: PathBuf) -> Option<Kubectl> {
        let output = Command::new(&path).args(["version", "--client", "-o", "json"]).output().ok()?;
        let version: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let minor = version["clientVersion"]["minor"].as_str()?.trim_end_matches('+').parse().ok()?;
        Some(Kubectl { path, minor })
    }
}

/// A server, and a folder with everything kubectl needs.
struct Session {
    folder: PathBuf,
    serving: Serving,
    kubectl: PathBuf,
}

impl Session {
    async fn new(kubectl: &Kubectl, name: &str) -> Session {
        let server = ApiServer::builder().deterministic().build().unwrap();
        let serving = server.serve(ServeOptions::default()).await.unwrap();
        let folder =
            std::env::temp_dir().join(format!("kubemerge-{}-{name}-{}", kubectl.minor, std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("kubeconfig"), serving.kubeconfig()).unwrap();
        for file in fs::read_dir(here().join("files")).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        Session { folder, serving, kubectl: kubectl.path.clone() }
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        let kubectl = format!("kubectl() {{ \"{}\" --cache-dir=cache \"$@\"; }}\n", self.kubectl.display());
        command.arg("-c").arg(format!("{kubectl}{line}"));
        command.current_dir(&self.folder).env("KUBECONFIG", self.folder.join("kubeconfig"));
        command.env("HOME", &self.folder).env("TZ", "UTC").env_remove("KUBERNETES_SERVICE_HOST");
        command
    }

    /// Runs a command line; answers what it prints on both streams and its exit code.
    fn run(&self, line: &str) -> String {
        let output = self.shell(&format!("{{ {line}; }} 2>&1")).stdin(Stdio::null()).output().unwrap();
        let mut text = String::from_utf8_lossy(&output.stdout).replace(self.serving.url(), "URL");
        text = text.replace(&*self.folder.to_string_lossy(), "FOLDER");
        // Words that came with newer versions.
        text = text.replace(" deleted from default namespace", " deleted");
        text = text
            .lines()
            .filter(|line| !line.starts_with("Flag --"))
            .map(|line| format!("{line}\n"))
            .collect();
        match output.status.code() {
            Some(0) => text,
            code => format!("{text}exit code {}\n", code.unwrap_or(-1)),
        }
    }
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl")
}

/// Commands and what they print.
fn read(text: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command.to_string(), String::new())),
            (None, Some((_, printed))) => {
                printed.push_str(line);
                printed.push('\n');
            }
            (None, None) => {}
        }
    }
    steps
}

async fn replay(name: &str) {
    replay_since(0, name).await;
}

/// Replays a transcript with every kubectl from a minor version on.
async fn replay_since(oldest: u32, name: &str) {
    let mut found = installed();
    found.retain(|kubectl| kubectl.minor >= oldest);
    if found.is_empty() {
        eprintln!("skipped kubectl::{name}: no kubectl on this machine");
        return;
    }
    let path = here().join(format!("{name}.txt"));
    let mut text = fs::read_to_string(&path).unwrap();
    let mut differing = Vec::new();
    for (at, kubectl) in found.iter().enumerate() {
        let session = Session::new(kubectl, name).await;
        let steps = read(&text);
        let kubectl_minor = kubectl.minor;
        let played = tokio::task::spawn_blocking(move || {
            let played: Vec<(String, String)> =
                steps.into_iter().map(|(command, _)| (command.clone(), session.run(&command))).collect();
            (played, session)
        });
        let (played, session) = tokio::time::timeout(Duration::from_mins(20), played).await.unwrap().unwrap();
        let written: String =
            played.iter().map(|(command, printed)| format!("$ {command}\n{printed}")).collect();
        if at == 0 && std::env::var_os("BLESS").is_some() {
            fs::write(&path, &written).unwrap();
            text = written.clone();
        }
        for ((command, expected), (_, printed)) in read(&text).iter().zip(&played) {
            if printed != expected {
                differing.push(format!(
                    "kubectl 1.{kubectl_minor} $ {command}\n--- expected\n{expected}--- printed\n{printed}"
                ));
            }
        }
        fs::remove_dir_all(&session.folder).unwrap();
        session.serving.stop().await;
    }
    let versions: Vec<u32> = found.iter().map(|kubectl| kubectl.minor).collect();
    assert!(differing.is_empty(), "kubectl {versions:?}:\n{}", differing.join("\n"));
    eprintln!("kubectl 1.{versions:?}: {name} as written");
}

#[tokio::test(flavor = "multi_thread")]
async fn workloads() {
    replay("workloads").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn applying() {
    replay("applying").await;
}

/// `kubectl apply` has the flag `--subresource` from 1.32 on.
#[tokio::test(flavor = "multi_thread")]
async fn applying_status() {
    replay_since(32, "applying-status").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn looking() {
    replay("looking").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting() {
    replay("deleting").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn custom() {
    replay("custom").await;
}
