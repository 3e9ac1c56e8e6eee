//! The functions that an entry has, and what they are given beside objects.

use serde_json::Value;

use crate::field::{Field, FieldError};
use crate::object::user::User;
use crate::tree::Map;

/// Facts that rules may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The minor version of Kubernetes: 37 for 1.37.
    pub minor: u32,
}

impl Context {
    /// Whether the version of Kubernetes is this one or a later one.
    pub fn since(self, minor: u32) -> bool {
        self.minor >= minor
    }
}

/// Changes an object on its way in.
pub type ChangeObject = for<'a> fn(&mut Map<'a>, Context);
/// Changes an object that replaces a stored one.
pub type ChangeUpdate = for<'a> fn(&mut Map<'a>, &Map<'_>, Context);
/// Writes down in a new object who created it.
pub type RecordUser = for<'a> fn(&mut Map<'a>, &User);
/// Answers why an object cannot be converted.
pub type RefuseConversion = for<'a> fn(&Map<'a>) -> Option<String>;
/// Changes an object, in every version of Kubernetes in the same way.
pub type Adjust = for<'a> fn(&mut Map<'a>);
/// Runs before an object is prepared: fills in what an allocation needs; answers what makes it impossible.
pub type Begin = for<'a> fn(&mut Map<'a>, Option<&Map<'_>>, Context) -> Vec<FieldError>;
/// Validates an object.
pub type Validate = for<'t> fn(Field<'t>);
/// Validates an object that replaces a stored one.
pub type ValidateUpdate = for<'t> fn(Field<'t>, Field<'t>);
/// Answers what is accepted but advised against, of a new object or of one that replaces a stored one.
pub type Warn = for<'t> fn(Field<'t>, Option<Field<'t>>) -> Vec<String>;
/// Answers the condition of a row of a table.
pub type RowCondition = fn(&Value) -> Option<Value>;
