//! Versions of a kind whose fields are not those of the version in which objects are stored.

use super::hook::Adjust;

/// How a version and the stored one become each other.
#[derive(Clone, Copy, Debug)]
pub struct VersionConversion {
    /// The apiVersion in which objects are stored.
    pub stored_in: &'static str,
    /// Gives an object of the stored version the fields of this one; its `apiVersion` stays.
    pub from_stored: Adjust,
    /// Gives an object of this version the fields of the stored one.
    pub to_stored: Adjust,
    /// The version that rules and columns read.
    pub rules: RulesRead,
}

/// The version of an object that rules and columns read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesRead {
    /// The one that is served.
    ServedVersion,
    /// The one that is stored: an object is converted before it is prepared and validated.
    StoredVersion,
}
