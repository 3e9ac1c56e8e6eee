//! Stdout: results only, written through one buffer.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use crate::report::{Failure, Result};

/// Stdout, locked for the run of a command.
pub(crate) struct Stdout {
    out: BufWriter<StdoutLock<'static>>,
}

impl Stdout {
    pub(crate) fn new() -> Stdout {
        // Results may have megabytes, and every unbuffered write is a system call.
        Stdout { out: BufWriter::with_capacity(64 * 1024, io::stdout().lock()) }
    }

    /// Writes a text as it is.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> Result<()> {
        write!(self.out, "{text}").map_err(|error| Failure::of_output(&error))
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| Failure::of_output(&error))
    }

    /// Flushes the buffer. Dropping it instead would ignore a write error.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush().map_err(|error| Failure::of_output(&error))
    }
}
