//! A `kubemerge serve` in a process of its own, for the tests of the command.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

/// A running server, stopped when the test ends.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Server {
    /// Starts a server that reads its files from a folder; `None` if it does not start.
    pub(crate) fn start_in(folder: &Path, arguments: &[&str]) -> Option<Server> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
            .arg("serve")
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        let server = Server { child, url: url.trim().to_string() };
        (!server.url.is_empty()).then_some(server)
    }

    /// Sends a request with these header lines and returns the whole answer.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        ask(&self.url, method, path, headers, body)
    }
}

/// The same for a server at any address.
pub(crate) fn ask(url: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
