//! What functions answer.

use crate::error::CelError;
use crate::value::CelValue;

/// The result of a function, or cel-go's text of what is wrong.
pub(super) type Answer<'v> = Result<CelValue<'v>, CelError>;

/// The error for values that a function does not take.
pub(super) const NO_OVERLOAD: &str = "no such overload";

/// That error.
pub(super) fn no_overload<'v>() -> Answer<'v> {
    Err(NO_OVERLOAD.into())
}
