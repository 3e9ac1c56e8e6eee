//! Hands a task over to a program that cargo builds first.

use std::process::{Command, ExitCode};

/// Runs a program of the workspace, `package` with its features, with the words of this one.
pub(crate) fn hand_over(package: &[&str], words: &[String]) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet"]).args(package).arg("--").args(words);
    become_it(&mut command)
}

/// The program takes the place of this one, with its signals and its exit code.
#[cfg(unix)]
fn become_it(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt;
    cannot_run(&command.exec())
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => cannot_run(&error),
    }
}

fn cannot_run(error: &std::io::Error) -> ExitCode {
    eprintln!("xtask: cargo cannot be run: {error}");
    ExitCode::from(2)
}
