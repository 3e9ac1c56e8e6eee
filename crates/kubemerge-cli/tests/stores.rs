//! `kubemerge serve --store file:FOLDER`: what it keeps when it is killed.
//!
//! `KUBEMERGE_STORES=full` (`cargo xtask stores`) kills it until 100,000 writes were confirmed to 16 clients.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::Duration,
};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A folder of one test, removed at its end.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> TestFolder {
        TestFolder(std::env::temp_dir().join(format!("kubemerge-{name}-{}", std::process::id())))
    }

    fn address(&self) -> String {
        format!("file:{}", self.0.display())
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A running server, killed when it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &TestFolder) -> Server {
        let mut child =
            command(&["serve", "--store", &folder.address()]).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Server { child, address: url.trim().trim_start_matches("http://").to_string() }
    }

    fn connect(&self) -> Connection {
        Connection(BufReader::new(TcpStream::connect(&self.address).unwrap()))
    }

    /// Ends the process without any warning.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubemerge"));
    command.args(arguments).stdout(Stdio::piped());
    command
}

/// A connection that carries one request after the other.
struct Connection(BufReader<TcpStream>);

impl Connection {
    /// The code and the body of an answer; none if the connection ended before all of it was there.
    fn ask(&mut self, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
        let head = "host: localhost\r\ncontent-type: application/json\r\n";
        let request =
            format!("{method} {path} HTTP/1.1\r\n{head}content-length: {}\r\n\r\n{body}", body.len());
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        let code = line.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line).ok().filter(|read| *read > 0)?;
            match line.to_ascii_lowercase().strip_prefix("content-length:") {
                Some(value) => length = value.trim().parse().ok()?,
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some((code, String::from_utf8(body).ok()?))
    }
}

fn map(name: &str, value: u64) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"v":"{value}","w":"{value}"}}}}"#
    )
}

/// The values that were confirmed, by name; those that were sent last, which may be stored or not, come after them.
type Confirmed = Mutex<BTreeMap<String, u64>>;

/// Creates objects and writes them again until the server is gone.
fn keep_writing(mut connection: Connection, client: &str, confirmed: &Confirmed) {
    for number in 0.. {
        let name = format!("{client}-{}", number / 3);
        let written = match number % 3 {
            0 => connection.ask("POST", MAPS, &map(&name, number)),
            _ => connection.ask("PUT", &format!("{MAPS}/{name}"), &map(&name, number)),
        };
        let Some((code, body)) = written else { return };
        assert!(matches!(code, 200 | 201), "{body}");
        confirmed.lock().unwrap().insert(name, number);
    }
}

/// Compares what is stored with what was confirmed.
fn check(server: &Server, confirmed: &BTreeMap<String, u64>) {
    let (code, body) = server.connect().ask("GET", MAPS, "").unwrap();
    assert_eq!(code, 200, "{body}");
    let list: serde_json::Value = serde_json::from_str(&body).unwrap();
    let mut stored = BTreeMap::new();
    for item in list["items"].as_array().unwrap() {
        let (data, name) = (&item["data"], item["metadata"]["name"].as_str().unwrap());
        if name == "kube-root-ca.crt" {
            continue;
        }
        assert_eq!(data["v"], data["w"], "{item} is torn");
        stored.insert(name.to_string(), data["v"].as_str().unwrap().parse::<u64>().unwrap());
    }
    for (name, value) in confirmed {
        let held = stored.get(name).unwrap_or_else(|| panic!("{name} is lost"));
        // The next write of the client may have been stored before its answer could be sent.
        assert!(held == value || *held == value + 1, "{name} has {held}, {value} was confirmed");
    }
}

#[test]
fn nothing_that_was_confirmed_is_lost_when_the_process_is_killed() {
    let is_full = std::env::var_os("KUBEMERGE_STORES").is_some_and(|form| form == "full");
    let (clients, wanted) = if is_full { (16, 100_000) } else { (4, 600) };
    let (folder, mut random) = (TestFolder::new("killed"), fastrand::Rng::with_seed(7));
    let (mut all, mut writes, mut round) = (BTreeMap::new(), 0, 0);
    while writes < wanted {
        let (server, confirmed) = (Server::start(&folder), Confirmed::default());
        check(&server, &all);
        std::thread::scope(|scope| {
            for client in 0..clients {
                // Here, since a busy machine may start the thread after the server is gone.
                let (connection, confirmed) = (server.connect(), &confirmed);
                scope.spawn(move || keep_writing(connection, &format!("r{round}-c{client}"), confirmed));
            }
            std::thread::sleep(Duration::from_millis(random.u64(50..if is_full { 3000 } else { 300 })));
            // The clients end with the server.
            Command::new("kill").args(["-9", &server.child.id().to_string()]).status().unwrap();
        });
        let confirmed = confirmed.into_inner().unwrap();
        writes += confirmed.values().map(|last| last % 3 + 1).sum::<u64>();
        all.extend(confirmed);
        round += 1;
        server.kill();
    }
    check(&Server::start(&folder), &all);
    println!("{writes} writes were confirmed, the process was killed {round} times");
}

fn run(arguments: &[&str]) -> String {
    let output = command(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_dump_moves_everything_to_another_store() {
    let (folder, copy, file) =
        (TestFolder::new("dump"), TestFolder::new("copy"), TestFolder::new("dump-file"));
    let server = Server::start(&folder);
    let mut connection = server.connect();
    let definition = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"kiosks.shop.example"},"spec":{"group":"shop.example","scope":"Namespaced",
        "names":{"plural":"kiosks","kind":"Kiosk"},"versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}"#;
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let kiosk = r#"{"apiVersion":"shop.example/v1","kind":"Kiosk","metadata":{"name":"k"},"spec":{"a":[1.5,"yes",null]}}"#;
    let kiosks = "/apis/shop.example/v1/namespaces/default/kiosks";
    for (path, body) in [(definitions, definition), (kiosks, kiosk), (MAPS, &map("a", 1))] {
        let (code, answer) = connection.ask("POST", path, body).unwrap();
        assert_eq!(code, 201, "{answer}");
    }
    server.kill();
    let dump = run(&["dump", "--store", &folder.address()]);
    assert!(dump.contains("managedFields:") && dump.contains("name: kiosks.shop.example"), "{dump}");
    let path = file.0.to_str().unwrap();
    run(&["dump", "--store", &folder.address(), "-o", path]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), dump);
    run(&["restore", "--store", &copy.address(), "-f", path]);
    assert_eq!(
        run(&["dump", "--store", &copy.address()]),
        dump,
        "nothing differs, not even a resourceVersion"
    );
    let text = refusal(&["restore", "--store", &copy.address(), "-f", path]);
    assert!(text.contains("has objects already"), "{text}");
    run(&["restore", "--store", &copy.address(), "-f", path, "--force"]);
    let text = refusal(&["dump", "--store", &copy.address(), "-o", path]);
    assert!(text.contains("cannot write"), "it never replaces a file: {text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_file(path).unwrap();
    let server = Server::start(&copy);
    let (code, answer) = server.connect().ask("GET", &format!("{kiosks}/k"), "").unwrap();
    assert!(code == 200 && answer.contains("Kiosk"), "{answer}");
}

fn refusal(arguments: &[&str]) -> String {
    let output = command(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_folder_has_one_server_and_the_error_names_it() {
    let folder = TestFolder::new("two");
    let server = Server::start(&folder);
    let text = refusal(&["serve", "--store", &folder.address()]);
    assert!(text.contains(&format!("process {} uses it", server.child.id())), "{text}");
    server.kill();
    // The lock ends with the process, however that happens.
    Server::start(&folder);
}

#[test]
fn stores_that_cannot_be_used_are_refused() {
    let text = refusal(&["serve", "--store", "disk:x"]);
    assert!(text.contains("a store is `memory`, `file:FOLDER` or"), "{text}");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = refusal(&["serve", "--store", &format!("file:{}", sources.display())]);
    assert!(text.contains("is no store of kubemerge: choose an empty folder"), "{text}");
}
