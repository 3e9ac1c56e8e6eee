//! Starts this program under callgrind and reads what it counted.

use std::{
    env, io,
    process::{Command, ExitCode, Stdio},
    str,
};

use crate::row::{MAX_REQUESTS, Row};

/// Prints a table of the rows whose name has this part.
pub(crate) fn report(part: &str) -> ExitCode {
    println!("| request | mean size of an object (bytes) | instructions |\n|---|---:|---:|");
    for row in Row::ALL.iter().filter(|row| row.name.contains(part)) {
        match per_request(row) {
            Ok(count) => println!("| {} | {} | {} |", row.name, row.mean_size(), with_commas(count)),
            Err(error) => {
                eprintln!("{}: {error}", row.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// What twice as many requests add, for each of them.
fn per_request(row: &Row) -> io::Result<u64> {
    let half = MAX_REQUESTS / 2;
    let added = count(row, MAX_REQUESTS)?.saturating_sub(count(row, half)?);
    Ok(added / (MAX_REQUESTS - half) as u64)
}

/// All instructions of a process that does the requests.
fn count(row: &Row, requests: usize) -> io::Result<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(env::current_exe()?);
    command.args(["run", row.name, &requests.to_string()]).stdin(Stdio::null());
    let output =
        command.output().map_err(|error| io::Error::other(format!("valgrind cannot be started: {error}")))?;
    let text = str::from_utf8(&output.stderr).unwrap_or_default();
    let collected = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    collected.filter(|_| output.status.success()).ok_or_else(|| io::Error::other(text.to_owned()))
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
