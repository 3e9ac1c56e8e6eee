//! `kubemerge envtest`: the folder and the programs in it.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("kubemerge-envtest-{name}-{}", std::process::id()));
        let made = kubemerge(&[path.to_str().unwrap()]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert_eq!(Path::new(String::from_utf8_lossy(&made.stdout).trim()), path.canonicalize().unwrap());
        Folder(path)
    }

    fn run(&self, program: &str, flags: &[&str]) -> Output {
        Command::new(self.0.join(program)).args(flags).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn kubemerge(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubemerge")).arg("envtest").args(words).output().unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until something listens, as envtest does.
fn connect(port: u16) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(start.elapsed() < Duration::from_mins(2), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn terminate(mut child: Child) {
    let sent = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn etcd_is_healthy_and_ends_on_a_signal() {
    let folder = Folder::new("etcd");
    let port = free_port();
    let url = format!("--listen-client-urls=http://127.0.0.1:{port}");
    let child = Command::new(folder.0.join("etcd")).args([&url, "--data-dir=x"]).spawn().unwrap();
    let mut stream = connect(port);
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"health":"true","reason":""}"#));
    terminate(child);
}

#[test]
fn the_server_listens_and_ends_on_a_signal() {
    let folder = Folder::new("server");
    let port = free_port();
    let flags = [&format!("--secure-port={port}"), "--etcd-servers=http://127.0.0.1:1", "--profiling"];
    let program = folder.0.join("kube-apiserver");
    let mut child = Command::new(program).args(flags).stderr(Stdio::piped()).spawn().unwrap();
    drop(connect(port));
    let mut stderr = child.stderr.take().unwrap();
    terminate(child);
    let mut text = String::new();
    stderr.read_to_string(&mut text).unwrap();
    assert!(text.contains("ignored: --profiling"), "{text}");
}

#[test]
fn the_server_ends_when_its_parent_dies() {
    let folder = Folder::new("parent");
    let port = free_port();
    let script = format!("{}/kube-apiserver --secure-port={port} & sleep 0.3", folder.0.display());
    // The output must be closed for `status` to return; the server outlives the shell only for a moment.
    let status = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        assert!(start.elapsed() < Duration::from_mins(2), "it still listens");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn errors_name_their_cause_and_exit_with_1() {
    let folder = Folder::new("errors");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let bad = folder.0.join("bad.pem");
    std::fs::write(&bad, "no PEM").unwrap();
    let bad = bad.to_str().unwrap();
    let file = bad.parse::<PathBuf>().unwrap().join("sub");
    let cases = [
        (folder.run("kube-apiserver", &[&format!("--secure-port={port}")]), format!("127.0.0.1:{port}")),
        (folder.run("etcd", &[&format!("--listen-client-urls=http://127.0.0.1:{port}")]), port.to_string()),
        (
            folder.run(
                "kube-apiserver",
                &["--tls-cert-file", bad, "--tls-private-key-file", bad, "--secure-port=0"],
            ),
            bad.to_owned(),
        ),
        (
            folder.run("kube-apiserver", &["--bind-address=192.0.2.1"]),
            "address of this machine to --bind-address".to_owned(),
        ),
        (kubemerge(&["--kubernetes", "1.2"]), "1.2".to_owned()),
        (kubemerge(&[file.to_str().unwrap()]), bad.to_owned()),
    ];
    for (output, cause) in cases {
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(&cause), "{text}");
    }
}

/// A certificate for the loopback address with its key, PEM.
fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
}

#[test]
fn bad_certificates_name_the_file_and_the_cure() {
    let folder = Folder::new("certificates");
    let ((chain, _), (_, other_key)) = (certificate(), certificate());
    let certs = folder.0.join("certs");
    std::fs::create_dir_all(&certs).unwrap();
    std::fs::write(certs.join("apiserver.crt"), chain).unwrap();
    std::fs::write(certs.join("apiserver.key"), other_key).unwrap();
    let certs = certs.to_str().unwrap();
    let run = |flags: &[&str]| {
        let output = folder.run("kube-apiserver", &[&["--secure-port=0"], flags].concat());
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = run(&["--cert-dir", certs]);
    assert!(text.contains("apiserver.key") && text.contains("does not fit"), "{text}");
    assert!(text.contains("help: give the private key that the certificate was made with"), "{text}");
    let text = run(&["--client-ca-file", "/nowhere/ca.crt"]);
    assert!(text.contains("cannot read /nowhere/ca.crt") && text.contains("help: give a file"), "{text}");
    let key = format!("{certs}/apiserver.key");
    let text = run(&["--client-ca-file", &key]);
    assert!(text.contains(&key) && text.contains("help: give the certificate of the authority"), "{text}");
    for (given, missing) in
        [("tls-cert-file", "tls-private-key-file"), ("tls-private-key-file", "tls-cert-file")]
    {
        let text = run(&[&format!("--{given}={key}"), "--cert-dir", certs]);
        assert!(text.contains(&key) && text.contains(&format!("help: give --{missing}")), "{text}");
    }
    let file = format!("{key}/sub");
    let text = run(&["--cert-dir", &file]);
    assert!(text.contains(&file) && text.contains("--cert-dir"), "{text}");
}

#[test]
fn bad_values_of_flags_name_them() {
    let folder = Folder::new("values");
    for (flag, cause) in [
        ("--secure-port=x", "--secure-port=x"),
        ("--bind-address=nowhere", "--bind-address=nowhere"),
        ("--runtime-config=api/all=perhaps", "api/all=perhaps"),
        ("--runtime-config=example.com/v1=true", "unknown api groups example.com/v1"),
        ("--service-cluster-ip-range=10.0.0.0", "10.0.0.0 is not a range"),
    ] {
        let output = folder.run("kube-apiserver", &[flag]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{flag}: {text}");
        assert!(text.contains(cause) && text.contains("help: "), "{flag}: {text}");
    }
}

#[test]
fn what_has_no_effect_is_said_once_and_certificates_are_made() {
    let folder = Folder::new("notes");
    let port = free_port();
    let (port_flag, certs) = (format!("--secure-port={port}"), folder.0.join("made"));
    let certs_flag = format!("--cert-dir={}", certs.display());
    let flags = [
        &port_flag,
        &certs_flag,
        "--authorization-mode=Node,RBAC",
        "--feature-gates=A=true",
        "--enable-admission-plugins=NodeRestriction",
        "--service-cluster-ip-range=10.9.0.0/24,fd00::/112",
        "--anonymous-auth=false",
    ];
    let mut child =
        Command::new(folder.0.join("kube-apiserver")).args(flags).stderr(Stdio::piped()).spawn().unwrap();
    drop(connect(port));
    let mut stderr = child.stderr.take().unwrap();
    terminate(child);
    let mut text = String::new();
    stderr.read_to_string(&mut text).unwrap();
    for note in
        ["--authorization-mode", "--feature-gates", "NodeRestriction", "10.9.0.0/24", "--anonymous-auth"]
    {
        assert_eq!(text.matches(note).count(), 1, "{note}: {text}");
    }
    let chain = std::fs::read_to_string(certs.join("apiserver.crt")).unwrap();
    assert_eq!(chain.matches("BEGIN CERTIFICATE").count(), 2);
    assert!(certs.join("apiserver.key").exists());
}

#[test]
fn probes_of_flags_and_versions_are_answered() {
    let folder = Folder::new("probes");
    let help = folder.run("kube-apiserver", &["--help"]);
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(text.contains("--secure-port") && !text.contains("--insecure-port"));
    let version = folder.run("kube-apiserver", &["--version"]);
    assert!(version.stdout.starts_with(b"Kubernetes v1."));
    // `| head` closes the pipe.
    for program in ["kube-apiserver", "etcd"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(folder.0.join(program));
        let output = command.arg("--help").stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = output.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    }
}

#[test]
fn commands_run_with_the_folder() {
    let folder = Folder::new("command");
    let place = folder.0.to_str().unwrap();
    let output = kubemerge(&[place, "--", "sh", "-c", "echo $KUBEBUILDER_ASSETS; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(Path::new(String::from_utf8_lossy(&output.stdout).trim()), folder.0.canonicalize().unwrap());
    assert!(kubemerge(&[place, "--clean"]).status.success());
    assert!(!folder.0.exists());
}
