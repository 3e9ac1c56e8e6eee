//! What is reported to the user: notices that point into files, and how a command ends. The lowest layer: every other
//! module reports through it, and it imports none of them.

mod colour;
mod excerpt;
mod failure;
mod notice;
mod sanitize;

pub(crate) use colour::{Colours, Ink, choose_colours, colours_of};
pub(crate) use excerpt::Excerpt;
pub(crate) use failure::{Failure, Outcome, Result, exit_code, plain};
pub(crate) use notice::{Notice, Severity};
pub(crate) use sanitize::{sanitize, sanitize_lines};
