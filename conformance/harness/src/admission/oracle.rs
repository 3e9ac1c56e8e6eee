//! The oracle: a process that answers one JSON request per line.

use std::error::Error;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A running oracle.
pub(super) struct Oracle {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    pub(super) fn start() -> Result<Oracle, Box<dyn Error>> {
        let path = find().ok_or("the oracle is not built: cargo xtask apiserver build")?;
        // Its log is long and tells nothing that the answers do not.
        let mut child =
            Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = BufWriter::new(child.stdin.take().ok_or("the oracle has no input")?);
        let output = BufReader::new(child.stdout.take().ok_or("the oracle has no output")?);
        Ok(Oracle { child, input, output })
    }

    /// Asks all requests and does something else until the answers come.
    pub(super) fn ask_while<R: Send>(
        &mut self,
        requests: &[Value],
        other: impl FnOnce() -> R + Send,
    ) -> Result<(Vec<Value>, R), Box<dyn Error>> {
        let Oracle { input, output, .. } = self;
        std::thread::scope(|scope| {
            // The oracle stops reading when no client reads its answers, so writing needs its own thread.
            let writing = scope.spawn(move || -> std::io::Result<()> {
                for request in requests {
                    serde_json::to_writer(&mut *input, request)?;
                    input.write_all(b"\n")?;
                }
                input.flush()
            });
            let other = scope.spawn(other);
            let answers = read_answers(output, requests.len())?;
            writing.join().map_err(|_| "writing to the oracle panicked")??;
            let other = other.join().map_err(|_| "our own side panicked")?;
            Ok((answers, other))
        })
    }

    pub(super) fn ask(&mut self, requests: &[Value]) -> Result<Vec<Value>, Box<dyn Error>> {
        Ok(self.ask_while(requests, || ())?.0)
    }
}

fn read_answers(output: &mut impl BufRead, count: usize) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut answers = Vec::with_capacity(count);
    let mut line = String::new();
    for _ in 0..count {
        line.clear();
        if output.read_line(&mut line)? == 0 {
            return Err("the oracle ended".into());
        }
        answers.push(serde_json::from_str(&line)?);
    }
    Ok(answers)
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // It ends by itself when its input ends; nothing is lost if it cannot be stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In the directory that the environment names, in this worktree, or in the main one.
fn find() -> Option<PathBuf> {
    let named = std::env::var_os("KUBEMERGE_APISERVER_DIR").map(PathBuf::from);
    // The build takes minutes, so worktrees share the main one's.
    let git = Command::new("git").args(["rev-parse", "--git-common-dir"]).output().ok();
    let main = git.and_then(|output| {
        let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        Some(folder.parent()?.join("target/apiserver"))
    });
    let folders = [named, Some(PathBuf::from("target/apiserver")), main];
    folders.into_iter().flatten().map(|folder| folder.join("bin/oracle")).find(|path| path.exists())
}
