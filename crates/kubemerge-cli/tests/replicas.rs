//! Two `kubemerge serve` on one etcd, one of which is killed again and again: to clients they are one API server, whose
//! answers are linearizable.

#![cfg(all(feature = "etcd", unix))]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use kubemerge_test_support::{
    etcd,
    history::{Call, Held, Operation, is_linearizable},
};
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CLIENTS: u64 = 4;

fn is_full() -> bool {
    std::env::var_os("KUBEMERGE_STORES").is_some_and(|form| form == "full")
}

/// A server on a port of its own.
struct Replica {
    port: u16,
    store: String,
    process: Mutex<Child>,
}

impl Replica {
    fn start(store: String) -> Replica {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Mutex::new(spawn(&store, port));
        Replica { port, store, process }
    }

    /// Kills the process and starts it again; returns when it listens.
    fn kill_and_start(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
        *process = spawn(&self.store, self.port);
    }

    /// The code and the body of an answer; none if the connection ended before all of it was there.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = "host: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\n{head}content-length: {length}\r\n\r\n{body}").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let code = head.split(' ').nth(1)?.parse().ok()?;
        // A body that was cut off is no answer.
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let is_whole = length.is_none_or(|length| length.parse() == Ok(body.len()));
        is_whole.then(|| (code, body.to_string()))
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap();
        drop(process.kill());
        drop(process.wait());
    }
}

fn spawn(store: &str, port: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubemerge"));
    command.args(["serve", "--store", store, "--port", &port.to_string()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http"), "the server has not started");
    child
}

fn revision(body: &str) -> Held {
    let object: Value = serde_json::from_str(body).unwrap();
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().ok()
}

/// What a client got to know.
enum Answer {
    Known(Operation),
    /// Nothing was read or written.
    Nothing,
    /// The write may have happened.
    Uncertain,
}

fn read(replica: &Replica, name: &str) -> Answer {
    match replica.ask("GET", &format!("{MAPS}/{name}"), &Value::Null) {
        Some((200, body)) => Answer::Known(Operation::Get { found: revision(&body) }),
        Some((404, _)) => Answer::Known(Operation::Get { found: None }),
        Some((503, _)) | None => Answer::Nothing,
        Some((code, body)) => panic!("{code}: {body}"),
    }
}

fn write(replica: &Replica, name: &str, value: &str, expected: Held) -> Answer {
    let mut object =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"v": value}});
    let answer = match expected {
        None => replica.ask("POST", MAPS, &object),
        Some(version) => {
            object["metadata"]["resourceVersion"] = json!(version.to_string());
            replica.ask("PUT", &format!("{MAPS}/{name}"), &object)
        }
    };
    match answer {
        Some((200 | 201, body)) => match revision(&body) {
            Some(new) => Answer::Known(Operation::Put { expected, answer: Ok(new) }),
            None => panic!("{body}"),
        },
        Some((409, _)) => Answer::Known(Operation::Conflict { expected }),
        Some((503, _)) | None => Answer::Uncertain,
        Some((code, body)) => panic!("{code}: {body}"),
    }
}

/// A write that may have happened.
struct Uncertain {
    name: String,
    value: String,
    called: u64,
    expected: Held,
}

#[derive(Default)]
struct Record {
    calls: BTreeMap<String, Vec<Call>>,
    uncertain: Vec<Uncertain>,
}

/// Reads and writes until it is over.
fn work(replica: &Replica, client: u64, clock: &AtomicU64, is_over: &AtomicBool, record: &Mutex<Record>) {
    let (mut random, mut known) = (fastrand::Rng::with_seed(client), BTreeMap::<String, Held>::new());
    for number in 0.. {
        if is_over.load(Ordering::Acquire) {
            return;
        }
        std::thread::sleep(Duration::from_millis(random.u64(..20)));
        let (name, value) = (format!("map-{}", random.u8(..3)), format!("{client}-{number}"));
        let expected = known.get(&name).copied().flatten();
        let called = clock.fetch_add(1, Ordering::SeqCst);
        let answer =
            if random.bool() { read(replica, &name) } else { write(replica, &name, &value, expected) };
        let returned = clock.fetch_add(1, Ordering::SeqCst);
        let mut record = record.lock().unwrap();
        match answer {
            Answer::Known(operation) => {
                match operation {
                    Operation::Get { found } => known.insert(name.clone(), found),
                    Operation::Put { answer: Ok(new), .. } => known.insert(name.clone(), Some(new)),
                    _ => None,
                };
                record.calls.entry(name).or_default().push(Call { called, returned, operation });
            }
            Answer::Uncertain => record.uncertain.push(Uncertain { name, value, called, expected }),
            Answer::Nothing => {}
        }
    }
}

/// The revisions of all writes since a revision, by what was written.
fn writes(replica: &Replica, since: u64) -> BTreeMap<String, u64> {
    let path = format!("{MAPS}?watch=true&timeoutSeconds=2&resourceVersion={since}");
    let (_, events) = replica.ask("GET", &path, &Value::Null).unwrap();
    // Each event is a line of its own, between the lines of the chunks.
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let write = |event: Value| {
        let object = &event["object"];
        let value = object["data"]["v"].as_str()?.to_string();
        Some((value, object["metadata"]["resourceVersion"].as_str()?.parse().ok()?))
    };
    events.filter_map(write).collect()
}

#[test]
fn histories_are_linearizable_while_one_of_two_servers_is_killed() {
    let Some(etcd) = etcd::start("histories_are_linearizable_while_one_of_two_servers_is_killed") else {
        return;
    };
    etcd.ask("maintenance/status", json!({}));
    let store = format!("etcd://127.0.0.1:{}/replicas", etcd.port());
    let (killed, spared) = (Replica::start(store.clone()), Replica::start(store));
    let (_, list) = spared.ask("GET", MAPS, &Value::Null).unwrap();
    let start = revision(&list).unwrap();
    let (clock, is_over, record) = (AtomicU64::new(0), AtomicBool::new(false), Mutex::new(Record::default()));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let replica = if client % 2 == 0 { &killed } else { &spared };
            let (clock, is_over, record) = (&clock, &is_over, &record);
            scope.spawn(move || work(replica, client, clock, is_over, record));
        }
        for _ in 0..if is_full() { 30 } else { 3 } {
            std::thread::sleep(Duration::from_millis(700));
            killed.kill_and_start();
        }
        std::thread::sleep(Duration::from_millis(500));
        is_over.store(true, Ordering::Release);
    });
    let Record { mut calls, uncertain } = record.into_inner().unwrap();
    let writes = writes(&spared, start);
    for Uncertain { name, value, called, expected } in uncertain {
        // It may have happened at any time after the call.
        if let Some(new) = writes.get(&value) {
            let operation = Operation::Put { expected, answer: Ok(*new) };
            calls.entry(name).or_default().push(Call { called, returned: u64::MAX, operation });
        }
    }
    let count: usize = calls.values().map(Vec::len).sum();
    assert!(count > 50, "clients could work: {count}");
    for (name, calls) in calls {
        assert!(is_linearizable(&calls), "{name}: {calls:?}");
    }
}
