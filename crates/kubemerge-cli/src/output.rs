//! Standard output: data only, written through one buffer.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use crate::failure::{Failure, Result};

/// Standard output, locked for the run of a command.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(crate) fn new() -> Output {
        Output { out: BufWriter::with_capacity(64 * 1024, io::stdout().lock()) }
    }

    /// Writes a text as it is.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> Result<()> {
        write!(self.out, "{text}").map_err(|error| Failure::of_output(&error))
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| Failure::of_output(&error))
    }

    /// Hands everything over; what is left unwritten otherwise is lost without a word.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush().map_err(|error| Failure::of_output(&error))
    }
}
