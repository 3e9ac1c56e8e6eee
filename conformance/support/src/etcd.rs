//! An etcd for the tests. It is found by `KUBEMERGE_ETCD`, in the folder `target`, or as `etcd`; without it, what needs
//! it is skipped by name.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// A running etcd, ended when it is dropped.
#[must_use]
pub struct Etcd {
    process: Mutex<Child>,
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    peer_port: u16,
    /// More flags, such as those of TLS.
    flags: Vec<String>,
}

/// An etcd that the tests of this process share, each with a prefix of its own; it ends with the last of them.
pub fn shared(test: &str) -> Option<Arc<Etcd>> {
    static SHARED: Mutex<Weak<Etcd>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap();
    if let Some(etcd) = shared.upgrade() {
        return Some(etcd);
    }
    let etcd = Arc::new(start(test)?);
    *shared = Arc::downgrade(&etcd);
    Some(etcd)
}

/// An etcd of one test.
pub fn start(test: &str) -> Option<Etcd> {
    start_with(test, |_| Vec::new())
}

/// The same with more flags, which may name files in its folder.
pub fn start_with(test: &str, flags: impl FnOnce(&Path) -> Vec<String>) -> Option<Etcd> {
    let Some(program) = find() else {
        eprintln!("skipped: {test} over etcd: there is no etcd");
        return None;
    };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kubemerge-etcd-{}-{number}", std::process::id()));
    let (port, peer_port) = (free_port(), free_port());
    std::fs::create_dir_all(&folder).unwrap();
    let flags = flags(&folder);
    let process = Mutex::new(spawn(&program, &folder, [port, peer_port], &flags));
    Some(Etcd { process, program, folder, port, peer_port, flags })
}

fn find() -> Option<PathBuf> {
    let given = std::env::var_os("KUBEMERGE_ETCD").map(PathBuf::from);
    let built = crate::root().join("target/apiserver/bin/etcd");
    let candidates = given.into_iter().chain([built, "etcd".into()]);
    let runs = |program: &PathBuf| Command::new(program).arg("--version").output().is_ok();
    candidates.into_iter().find(runs)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn spawn(program: &Path, folder: &Path, [port, peer_port]: [u16; 2], flags: &[String]) -> Child {
    let scheme = if flags.is_empty() { "http" } else { "https" };
    let (client, peer) = (format!("{scheme}://127.0.0.1:{port}"), format!("http://127.0.0.1:{peer_port}"));
    let mut command = Command::new(program);
    command.arg("--data-dir").arg(folder.join("data")).args(flags).args([
        "--log-level",
        "fatal",
        "--name",
        "one",
    ]);
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("one={peer}")]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Etcd {
    /// The address of a store with a prefix.
    pub fn address(&self, prefix: &str) -> String {
        format!("etcd://127.0.0.1:{}/{prefix}", self.port)
    }

    /// The port for clients.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Asks etcd itself, through its gateway to JSON, as soon as it listens.
    pub fn ask(&self, call: &str, body: Value) -> Value {
        for _ in 0..100 {
            if let Ok(answer) = self.try_ask(call, &body) {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("etcd does not answer");
    }

    /// Asks once.
    pub fn try_ask(&self, call: &str, body: &Value) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let body = body.to_string();
        let length = body.len();
        write!(stream, "POST /v3/{call} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        if head.contains(" 200 ") {
            Ok(serde_json::from_str(body)?)
        } else {
            Err(std::io::Error::other(answer))
        }
    }

    /// Writes a key past the store.
    pub fn put(&self, key: &str, value: &str) {
        let encoded = |text: &str| BASE64_STANDARD.encode(text);
        self.ask("kv/put", json!({"key": encoded(key), "value": encoded(value)}));
    }

    /// Deletes all keys that begin with a path, which ends with a slash.
    pub fn delete_all(&self, path: &str) {
        let end = format!("{}0", path.trim_end_matches('/'));
        let [key, end] = [path.to_string(), end].map(|text| BASE64_STANDARD.encode(text));
        self.ask("kv/deleterange", json!({"key": key, "range_end": end}));
    }

    /// Ends it without any warning.
    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Starts it again with its data.
    pub fn restart(&self) {
        *self.process.lock().unwrap() =
            spawn(&self.program, &self.folder, [self.port, self.peer_port], &self.flags);
    }

    /// Sends a signal, such as STOP.
    pub fn signal(&self, name: &str) {
        let id = self.process.lock().unwrap().id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap();
        drop(process.kill());
        drop(process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// A prefix that no other test has.
pub fn prefix(test: &str) -> String {
    format!("{test}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}
