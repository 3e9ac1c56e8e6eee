//! The reference program: build it with Go, start it, ask it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Exit code of tasks that cannot run because Go is missing.
pub const NO_GO: u8 = 3;

/// Why there is no reference program to ask.
pub enum Unavailable {
    /// No `go` command on this machine.
    NoGo,
    /// The program does not build or does not start.
    Broken(String),
}

impl Unavailable {
    /// Says so on standard error and gives the exit code.
    pub fn report(&self) -> std::process::ExitCode {
        match self {
            Unavailable::NoGo => {
                eprintln!(
                    "xtask: this task asks Kubernetes' own code, and that needs Go (`go` is not on the PATH).\n\
                     Install Go 1.26 or newer and run it again. `cargo test` does not need Go."
                );
                NO_GO.into()
            }
            Unavailable::Broken(why) => {
                eprintln!("xtask: the reference program cannot be used: {why}");
                2.into()
            }
        }
    }
}

/// A running reference program.
#[must_use]
pub struct Reference {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// Builds the program where it changed, and starts it.
    pub fn start() -> Result<Reference, Unavailable> {
        let program = build(&crate::root())?;
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Unavailable::Broken(format!("{}: {error}", program.display())))?;
        let input = child.stdin.take();
        let output =
            // Replies of long lists are large, and a run has millions of them.
            BufReader::with_capacity(1 << 20, child.stdout.take().expect("standard output is a pipe"));
        Ok(Reference { child, input, output })
    }

    /// Asks a batch and gives the replies in order. The requests are written while replies are read:
    /// neither pipe can fill up and stop both sides.
    pub fn ask(&mut self, requests: &[String]) -> Result<Vec<String>, String> {
        let input = self.input.as_mut().ok_or("the reference program was stopped")?;
        let output = &mut self.output;
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || write_all(input, requests));
            let mut replies = Vec::with_capacity(requests.len());
            for _ in requests {
                let mut line = String::new();
                match output.read_line(&mut line) {
                    Ok(0) => return Err("the reference program ended early".to_string()),
                    Ok(_) => replies.push(line.trim_end().to_string()),
                    Err(error) => return Err(error.to_string()),
                }
            }
            writer.join().map_err(|_| "the writer crashed")?.map_err(|error| error.to_string())?;
            Ok(replies)
        })
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        drop(self.input.take());
        // The program ends with its input; a failure to wait leaves nothing to fix.
        let _ = self.child.wait();
    }
}

fn write_all(input: &mut ChildStdin, requests: &[String]) -> std::io::Result<()> {
    let mut input = std::io::BufWriter::with_capacity(1 << 16, input);
    for request in requests {
        input.write_all(request.as_bytes())?;
        input.write_all(b"\n")?;
    }
    input.flush()
}

fn build(root: &Path) -> Result<PathBuf, Unavailable> {
    let program = crate::target().join(format!("conformance-reference{}", std::env::consts::EXE_SUFFIX));
    let status = Command::new("go")
        .arg("build")
        // Into the target folder, so that the checkout stays clean.
        .arg("-o")
        .arg(&program)
        .arg(".")
        .current_dir(root.join("conformance/reference"))
        .status();
    match status {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(Unavailable::Broken(format!("`go build` in conformance/reference: {status}"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Unavailable::NoGo),
        Err(error) => Err(Unavailable::Broken(error.to_string())),
    }
}
