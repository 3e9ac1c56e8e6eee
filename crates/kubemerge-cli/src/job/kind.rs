//! Finds the type that a user names: `v1/Service`, `deploy`, `Ingress`, `ServiceSpec`.

use kubemerge_schema::{NameError, Schema, Type};

use crate::failure::Result;
use crate::notice::Notice;

/// Finds a type by apiVersion/Kind, by kind, by the names of its resource, or by definition name.
pub(crate) fn find_type<'s>(schema: &'s Schema, word: &str) -> Result<Type<'s>> {
    schema.find(word).map_err(|error| not_found(schema, &error).into())
}

/// The name of a type as `apiVersion/Kind`, else that of its definition.
pub(crate) fn name_of(schema: &Schema, ty: Type<'_>) -> String {
    let definition = ty.definition_name().unwrap_or_default();
    let kinds = schema.kinds();
    let kind = kinds.iter().find(|kind| kind.definition.name() == definition);
    kind.map_or_else(|| definition.to_owned(), |kind| format!("{}/{}", kind.api_version(), kind.kind))
}

fn not_found(schema: &Schema, error: &NameError) -> Notice {
    match error {
        NameError::Ambiguous { name, candidates } => {
            Notice::error(format!("{name} may mean {}", candidates.join(" or ")))
                .cure("name one of them in full")
        }
        NameError::Unknown { name } => unknown(schema, name),
    }
}

fn unknown(schema: &Schema, name: &str) -> Notice {
    let notice = Notice::error(format!("the schema has no kind {name}"));
    let kind = name.rsplit('/').next().unwrap_or(name);
    let kinds = schema.kinds();
    let alike = kinds.iter().filter(|one| one.kind.eq_ignore_ascii_case(kind));
    let alike: Vec<String> = alike.map(|one| format!("{}/{}", one.api_version(), one.kind)).collect();
    match alike.is_empty() {
        false => notice.cure(format!("there is {}", alike.join(", "))),
        true => notice.cure(
            "`kubemerge schema kinds` lists all; give the CustomResourceDefinition or an OpenAPI document \
             with --schema FILE, or another version with --kubernetes",
        ),
    }
}
