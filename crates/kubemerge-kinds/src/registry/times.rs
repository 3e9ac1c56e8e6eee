//! Times that a write sets. Rules have no clock: they are given the present as Kubernetes writes it.

use crate::tree::Map;

/// The times of a kind; few have any.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Defaults that are the present, set when an object is decoded.
    pub defaults: Option<SetDefaultTimes>,
    /// Times of changes, set when the rules of the kind have prepared and validated the object.
    pub changes: Option<SetTimes>,
}

/// Sets the present where no time is given.
pub type SetDefaultTimes = for<'a> fn(&mut Map<'a>, &str);
/// Sets the times of what a write has changed.
pub type SetTimes = for<'a> fn(&mut Map<'a>, &Written<'_>);

/// What is known about a write besides its object.
#[derive(Clone, Copy, Debug)]
pub struct Written<'o> {
    /// The stored object.
    pub old: Option<&'o Map<'o>>,
    /// The subresource that was written, if it was one.
    pub subresource: Option<&'o str>,
    /// The present.
    pub now: &'o str,
}

impl Times {
    /// No times.
    pub const NONE: Times = Times { defaults: None, changes: None };
}
