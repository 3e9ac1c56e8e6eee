//! Finds the type that a user names: `v1/Service`, `deploy`, `Ingress`, `ServiceSpec`.

use kubemerge_inspect::nearest;
use kubemerge_schema::{Dialect, NameError, Schema, StrategicPatch, Type};

use super::manifest::{Identity, Manifest};
use crate::report::{Notice, Result};

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

/// The type of an object for a strategic merge.
pub(crate) fn type_of<'s>(schema: &'s Schema, manifest: &Manifest<'_>) -> Result<Type<'s>> {
    let Identity { api_version, kind, .. } = &manifest.identity;
    match schema.type_of(api_version, kind) {
        // As the API server, which answers 415.
        Some(ty) if ty.strategic_patch() == StrategicPatch::Refused => Err(custom_resource(manifest).into()),
        Some(ty) => Ok(ty),
        // kustomize merges objects of any kind: maps by name, lists as a whole.
        None if schema.dialect() == Dialect::Kustomize && !kind.is_empty() => Ok(schema.untyped()),
        None => Err(undescribed(manifest).into()),
    }
}

fn custom_resource(manifest: &Manifest<'_>) -> Notice {
    let Identity { api_version, kind, .. } = &manifest.identity;
    let excerpt = manifest.excerpt("kind", "a custom resource");
    Notice::error("strategic merge patch format is not supported")
        .code("unsupported-type")
        .at(excerpt)
        .reason(format!("the API server answers 415 to a strategic patch of {kind} ({api_version})"))
        .help("use --type merge, or --dialect spec to merge by the rules of its definition")
}

fn undescribed(manifest: &Manifest<'_>) -> Notice {
    let Identity { api_version, kind, .. } = &manifest.identity;
    let excerpt = manifest.excerpt("kind", "");
    // A List without items has no object that could be patched.
    if kind == "List" {
        let notice = Notice::error("a List itself cannot be patched").code("unsupported-type");
        return notice.at(excerpt).help("patches apply to the items of a document that is a List");
    }
    let missing = match (api_version.is_empty(), kind.is_empty()) {
        (true, true) => Some("apiVersion and kind"),
        (true, false) => Some("apiVersion"),
        (false, true) => Some("kind"),
        (false, false) => None,
    };
    if let Some(missing) = missing {
        let notice = Notice::error(format!("the object has no {missing}")).code("unsupported-type");
        return notice.at(excerpt).help(format!("add {missing}, or use --type merge"));
    }
    let title = format!("the schema has no {kind} of {api_version}");
    Notice::error(title).code("unsupported-type").at(excerpt).help(
        "give its CustomResourceDefinition or an OpenAPI document with --schema FILE, another version with \
         --kubernetes, or use --type merge",
    )
}

fn not_found(schema: &Schema, error: &NameError) -> Notice {
    match error {
        NameError::Ambiguous { name, candidates } => {
            Notice::error(format!("{name} is ambiguous: {}", candidates.join(" or ")))
                .help("give one of them in full")
        }
        NameError::Unknown { name } => unknown(schema, name),
    }
}

fn unknown(schema: &Schema, name: &str) -> Notice {
    let notice = Notice::error(format!("the schema has no kind {name}"));
    // Only the kind is compared: a wrong version is the more common mistake.
    let kind = name.rsplit('/').next().unwrap_or(name);
    let kinds = schema.kinds();
    let alike = kinds.iter().filter(|one| one.kind.eq_ignore_ascii_case(kind));
    let alike: Vec<String> = alike.map(|one| format!("{}/{}", one.api_version(), one.kind)).collect();
    let names: Vec<&str> = kinds.iter().map(|one| one.kind).collect();
    match (alike.is_empty(), nearest(kind, &names)) {
        (false, _) => notice.help(format!("there is {}", alike.join(", "))),
        (true, Some(meant)) => notice.help(format!("did you mean {meant}?")),
        (true, None) => notice.help(
            "`kubemerge schema kinds` lists all; give the CustomResourceDefinition or an OpenAPI document \
             with --schema FILE, or another version with --kubernetes",
        ),
    }
}
