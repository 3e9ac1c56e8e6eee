//! The spec of a CustomResourceDefinition, in its internal form.
//!
//! Kubernetes lets definitions pass that an older server has stored and a newer one would refuse. Here every stored
//! definition was validated by these rules, so there are no such exceptions.

use super::{columns, conversion, schema};
use crate::field::Field;
use crate::format::{Problems, dns1035_label, dns1123_subdomain};

const VERSIONS: &str = "[]apiextensions.CustomResourceDefinitionVersion";

/// Validates the spec; `old` is the stored definition.
pub(super) fn validate(spec: Field<'_>, old: Option<Field<'_>>) {
    group(spec.field("group"));
    let scope = spec.field("scope");
    if !scope.require("") {
        scope.one_of(&["Cluster", "Namespaced"]);
    }
    required_schemas(spec);
    // Defaults are applied while unknown fields are pruned, which this option turns off.
    if spec.field("preserveUnknownFields").bool() && has_defaults(spec) {
        let detail = "must be false in order to use defaults in the schema";
        spec.field("preserveUnknownFields").invalid_as(true, detail);
    }
    versions(spec, old);
    for name in ["plural", "singular", "kind", "listKind"] {
        spec.fields(["names", name]).require("");
    }
    names(spec.field("names"));
    let any_status = |place: Field<'_>| place.fields(["subresources", "status"]).is_set();
    let has_status = any_status(spec) || spec.field("versions").items().any(any_status);
    let first = spec.field("version").str();
    schema::validate(spec.field("validation"), has_status, stored_schema(old, first));
    columns::subresources(spec.field("subresources"));
    columns::columns(spec.field("additionalPrinterColumns"));
    selectable_fields(spec);
    let strategy = spec.fields(["conversion", "strategy"]);
    if spec.field("conversion").is_set()
        && strategy.str() != "None"
        && spec.field("preserveUnknownFields").bool()
    {
        strategy.invalid("must be None if spec.preserveUnknownFields is true");
    }
    conversion::validate(spec.field("conversion"), old);
}

fn group(group: Field<'_>) {
    if group.require("") {
        return;
    }
    if !joined(group, dns1123_subdomain) && !group.str().contains('.') {
        group.invalid("should be a domain with at least one dot");
    }
}

/// Reports all problems in one error; returns whether there were any.
fn joined(field: Field<'_>, check: fn(&str) -> Problems) -> bool {
    let problems = check(field.str());
    if !problems.is_empty() {
        field.invalid(problems.join(","));
    }
    !problems.is_empty()
}

fn required_schemas(spec: Field<'_>) {
    if spec.fields(["validation", "openAPIV3Schema"]).is_set() {
        return;
    }
    for version in spec.field("versions").items() {
        let schema = version.fields(["schema", "openAPIV3Schema"]);
        if !schema.is_set() {
            schema.required("");
        }
    }
}

fn has_defaults(spec: Field<'_>) -> bool {
    let shared = schema::has_default(spec.field("validation"));
    shared || spec.field("versions").items().any(|version| schema::has_default(version.field("schema")))
}

fn versions(spec: Field<'_>, old: Option<Field<'_>>) {
    let versions = spec.field("versions");
    let has_own_subresources = versions.items().any(|version| version.field("subresources").is_set());
    let (mut seen, mut is_unique, mut storage) = (Vec::new(), true, 0);
    for version in versions.items() {
        let name = version.field("name");
        storage += usize::from(version.field("storage").bool());
        is_unique &= !seen.contains(&name.str());
        seen.push(name.str());
        joined(name, dns1035_label);
        // Subresources that all versions share moved to the spec, in Kubernetes' internal form.
        let place = if has_own_subresources { version } else { spec };
        validate_version(version, place.fields(["subresources", "status"]).is_set(), old);
    }
    if !is_unique {
        versions.invalid_struct(VERSIONS, "must contain unique version names");
    }
    // Objects are stored in one version, and converted to it.
    if storage != 1 {
        versions.invalid_struct(VERSIONS, "must have exactly one version marked as storage version");
    }
    let first = spec.field("version");
    if !first.is_empty() {
        joined(first, dns1035_label);
    }
}

fn validate_version(version: Field<'_>, has_status: bool, old: Option<Field<'_>>) {
    deprecation_warning(version);
    schema::validate(version.field("schema"), has_status, stored_schema(old, version.field("name").str()));
    columns::subresources(version.field("subresources"));
    columns::columns(version.field("additionalPrinterColumns"));
    let fields = version.field("selectableFields");
    if fields.is_empty() {
        return;
    }
    match schema::document(version.field("schema")) {
        None => {
            // Upstream's text says the opposite of what it means.
            fields.invalid_as("", "may only be set when `version.schema.openAPIV3Schema` is not included");
        }
        Some(schema) => columns::selectable_fields(fields, &schema),
    }
}

fn selectable_fields(spec: Field<'_>) {
    let fields = spec.field("selectableFields");
    if fields.is_empty() {
        return;
    }
    match schema::document(spec.field("validation")) {
        None => fields.invalid_as("", "may only be set when validations.schema is included"),
        Some(schema) => columns::selectable_fields(fields, &schema),
    }
}

/// The schema that a version has in the stored definition.
fn stored_schema<'f>(old: Option<Field<'f>>, name: &str) -> Option<Field<'f>> {
    let mut versions = old?.fields(["spec", "versions"]).items();
    versions.find(|version| version.field("name").str() == name).map(|version| version.field("schema"))
}

fn deprecation_warning(version: Field<'_>) {
    const MAX_BYTES: usize = 256;
    let warning = version.field("deprecationWarning");
    if !warning.is_set() {
        return;
    }
    if !version.field("deprecated").bool() {
        return warning.invalid("can only be set for deprecated versions");
    }
    if warning.str().len() > MAX_BYTES {
        warning.invalid("must be <= 256 characters long");
    }
    if warning.str().is_empty() {
        warning.invalid("must not be an empty string");
    }
    // The text becomes a Warning header.
    let is_odd = |char: char| char.is_control() || char.is_whitespace() && char != ' ';
    if let Some(at) = warning.str().find(is_odd) {
        let detail = format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        );
        warning.invalid(detail);
    }
}

/// Validates names: those that a spec asks for, or those that were accepted.
pub(super) fn names(names: Field<'_>) {
    for name in ["plural", "singular"] {
        let name = names.field(name);
        if !name.is_empty() {
            joined(name, dns1035_label);
        }
    }
    let (kind, list_kind) = (names.field("kind"), names.field("listKind"));
    for name in [kind, list_kind] {
        let problems = dns1035_label(&name.str().to_lowercase());
        if !name.is_empty() && !problems.is_empty() {
            let problems = problems.join(",");
            name.invalid(format!("may have mixed case, but should otherwise match: {problems}"));
        }
    }
    for name in names.field("shortNames").items() {
        joined(name, dns1035_label);
    }
    // Clients tell lists from objects by their kind.
    if !kind.is_empty() && kind.str() == list_kind.str() {
        list_kind.invalid("kind and listKind may not be the same");
    }
    for name in names.field("categories").items() {
        joined(name, dns1035_label);
    }
}
