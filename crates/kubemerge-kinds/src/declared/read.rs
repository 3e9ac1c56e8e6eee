//! Reading objects of kinds without Go types: any JSON, whose type and metadata are those of all objects.

use super::metadata;
use crate::{
    tree::{Map, Value},
    typed::DecodeError,
};

/// The object in a tree, with its type and metadata decoded; and the paths of metadata that was dropped.
///
/// # Errors
/// If the tree is no object, or its type or metadata cannot be decoded.
pub fn read_object(tree: Value<'_>) -> Result<(Map<'_>, Vec<String>), DecodeError> {
    // Upstream: any other JSON value has no kind and cannot be decoded.
    let Value::Map(mut object) = tree else {
        return Err(DecodeError::new("the body of the request is not a JSON object"));
    };
    metadata::check_type_names(&mut object)?;
    let unknown = metadata::decode(&mut object)?;
    Ok((object, unknown))
}
