//! The compiled schema, the cursor that walks it, and the facts that readers other than the merge ask for.

mod attached;
mod compiled;
mod cursor;
mod declared;
mod definitions;
mod facts;
mod find;
mod go_types;
mod resources;
mod value_type;

pub use compiled::Schema;
pub use cursor::Type;
pub use declared::Declared;
pub use definitions::{Definition, KindOf};
pub use facts::DeclaredField;
pub use find::NameError;
pub use go_types::{GoField, GoStruct, GoTypes};
pub use resources::{Resource, Subresource};
pub use value_type::{Additional, DeclaredType, ValueType, ValueTypeId};

/// Unions: fields of an object of which at most one is set (`x-kubernetes-unions`).
pub mod unions;
