//! `x-kubernetes-unions`: what the model keeps, and what is reported.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder, Type, check};
use serde_json::{Value, json};

fn document(unions: Value) -> Value {
    json!({"definitions": {"Subject": {
        "type": "object",
        "properties": {
            "account": {"type": "string"},
            "user": {"type": "object"},
            "group": {"type": "object"},
            "contact": {"type": "string"},
        },
        "x-kubernetes-unions": unions,
    }}})
}

/// `discriminator: field=value …` for each union.
fn shown(ty: Type<'_>) -> Vec<String> {
    let show = |union: kubemerge_schema::FieldUnion<'_>| {
        let members: Vec<String> =
            union.members().map(|one| format!("{}={}", one.field, one.discriminator_value)).collect();
        format!("{}: {}", union.discriminator().unwrap_or("-"), members.join(" "))
    };
    ty.unions().iter().map(show).collect()
}

#[track_caller]
fn loads(unions: Value, wanted: &[&str]) {
    let schema = SchemaBuilder::new().openapi_v2(&document(unions)).unwrap().compile(Dialect::Spec).unwrap();
    assert_eq!(shown(schema.definition("Subject").unwrap()), wanted);
}

#[track_caller]
fn reports(unions: Value, wanted: &[&str]) {
    let findings = check::document(&document(unions));
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let wanted: Vec<String> =
        wanted.iter().map(|end| format!("definitions[Subject].x-kubernetes-unions{end}")).collect();
    assert_eq!(found, wanted);
}

fn account() -> Value {
    json!({"discriminator": "account", "fields-to-discriminateBy": {"user": "User", "group": "Group"}})
}

#[test]
fn discriminator_and_members_are_kept() {
    loads(json!([account()]), &["account: group=Group user=User"]);
    reports(json!([account()]), &[]);
}

#[test]
fn a_union_needs_no_discriminator() {
    let bare = json!([{"fields-to-discriminateBy": {"user": "User"}}]);
    loads(bare.clone(), &["-: user=User"]);
    reports(bare, &[]);
}

#[test]
fn malformed_parts_are_left_out_and_reported() {
    let unions = json!([7, {"discriminator": 1, "fields-to-discriminateBy": {"user": "User", "group": 2}}]);
    loads(unions.clone(), &["-: user=User"]);
    reports(
        unions,
        &[
            "[0]: must be a map [extension-value]",
            "[1].discriminator: must be a string [extension-value]",
            "[1].fields-to-discriminateBy[group]: must be a string [extension-value]",
        ],
    );
}

#[test]
fn unions_are_a_list_and_their_fields_a_map() {
    loads(json!({"account": []}), &[]);
    reports(json!({"account": []}), &[": must be a list of maps [extension-value]"]);
    reports(
        json!([{"fields-to-discriminateBy": ["user"]}]),
        &["[0].fields-to-discriminateBy: must be a map of strings [extension-value]"],
    );
}

#[test]
fn members_exist() {
    reports(
        json!([{"discriminator": "type", "fields-to-discriminateBy": {"robot": "Robot"}}]),
        &[
            "[0]: \"type\" is not a declared property [union-field-unknown]",
            "[0]: \"robot\" is not a declared property [union-field-unknown]",
        ],
    );
}

#[test]
fn a_field_belongs_to_one_union() {
    reports(
        json!([account(), {"fields-to-discriminateBy": {"user": "User", "contact": "Contact"}}]),
        &["[1]: user field appears multiple times in unions [union-field-repeated]"],
    );
}

#[test]
fn a_value_selects_one_field() {
    reports(
        json!([{"discriminator": "account", "fields-to-discriminateBy": {"user": "User", "group": "User"}}]),
        &["[0].fields-to-discriminateBy[user]: Multiple fields have the same discriminated name: User \
           [union-value-repeated]"],
    );
}

#[test]
fn a_discriminator_selects_something() {
    reports(
        json!([{"discriminator": "account"}]),
        &[
            "[0].fields-to-discriminateBy: must name the fields that the discriminator selects [union-without-fields]",
        ],
    );
}

#[test]
fn the_built_in_tables_have_the_unions_of_the_documents() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let count: usize = schema.definitions().map(|definition| definition.ty().unions().iter().count()).sum();
    assert_eq!(count, 18);
    let subject = schema.definition("io.k8s.api.flowcontrol.v1.Subject").unwrap();
    assert_eq!(shown(subject), ["kind: group=Group serviceAccount=ServiceAccount user=User"]);
}

#[test]
fn a_union_has_fields() {
    let wanted = "[0].fields-to-discriminateBy: must name the fields of the union [union-without-fields]";
    reports(json!([{}]), &[wanted]);
    reports(json!([{"fields-to-discriminateBy": {}}]), &[wanted]);
}

#[test]
fn a_union_has_no_other_members() {
    let union = json!([{"fields-to-discriminateBy": {"user": "User"}, "discriminatr": "account"}]);
    let wanted =
        "[0].discriminatr: unknown; a union has discriminator and fields-to-discriminateBy [extension-value]";
    reports(union, &[wanted]);
}

#[test]
fn a_discriminator_is_a_string() {
    let union = json!([{"discriminator": "user", "fields-to-discriminateBy": {"group": "Group"}}]);
    reports(union, &["[0].discriminator: \"user\" must be a string, not object [union-discriminator-type]"]);
}
