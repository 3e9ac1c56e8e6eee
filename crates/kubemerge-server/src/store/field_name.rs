//! The names of fields. Common names are not copied.

use std::borrow::Cow;

use kubemerge_value::Str;

/// A name; common ones are not copied.
pub(crate) type Name = Cow<'static, str>;

/// The fields that most objects have, so that their names need no copy.
const FIELDS: [&str; 5] = ["spec", "status", "data", "type", "rules"];

/// The name of a field, copied only if it is a rare one.
pub(crate) fn field_name(name: Str<'_>) -> Name {
    match FIELDS.iter().find(|known| name.is(known)) {
        Some(known) => Name::Borrowed(known),
        None => Name::Owned(name.text().into_owned()),
    }
}
