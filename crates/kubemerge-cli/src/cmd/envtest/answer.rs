//! What both servers answer in the same way: probes of flags and versions, and places that cannot be listened on.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;

use crate::report::{Failure, Notice, Outcome, Result, plain};

/// Prints the list of flags from which envtest sees what a program knows.
pub(super) fn usage(program: &str, flags: &[&str]) -> Result {
    let flags: String = flags.iter().map(|name| format!("      --{name}\n")).collect();
    print(&format!("Usage:\n  {program} [flags]\n\nFlags:\n{flags}"))
}

/// Prints a text. A reader that has read enough is no error.
pub(super) fn print(text: &str) -> Result {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map(|()| Outcome::Done).map_err(|error| Failure::of_output(&error))
}

/// The flags that say where a program listens.
pub(super) struct PlaceFlags {
    pub(super) address: &'static str,
    pub(super) port: &'static str,
}

/// The error of an address that is taken, or is none of this machine.
pub(super) fn cannot_listen(address: SocketAddr, error: &std::io::Error, flags: &PlaceFlags) -> Failure {
    let cure = match error.kind() {
        ErrorKind::AddrNotAvailable => format!("give an address of this machine to {}", flags.address),
        _ => format!("give a free port to {}", flags.port),
    };
    Notice::error(format!("cannot listen on {address}: {}", plain(error))).help(cure).into()
}
