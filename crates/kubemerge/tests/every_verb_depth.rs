//! Every verb over documents that are nested to the limit, on a small stack: each ends with a result or an error.

use kubemerge::{
    Applier, Dialect, OnConflict, Patch, PatchType, RuleSource, Schema, ServerSideApply, Target, Tests,
    Versions, admit, admit_update, apply, compose, conflicts, convert, diff, invert, json_three_way,
    kubectl_apply, owners, owners_of, three_way,
};

/// Fewer levels than a document may have, for what is above and below them.
const LEVELS: usize = 9_900;
/// A quarter of what a thread has by default; one level of a recursion may take 64 KiB of it.
const STACK: usize = 512 * 1024;

/// Each type of patch, and the one that it is converted to.
const TARGETS: [(Target, Target); 3] = [
    (Target::Strategic, Target::Merge),
    (Target::Merge, Target::Json(Tests::Without)),
    (Target::Json(Tests::With), Target::Strategic),
];

fn nested(opening: &str, closing: &str, bottom: &str) -> String {
    let levels = LEVELS / opening.matches(['{', '[']).count();
    format!("{}{bottom}{}", opening.repeat(levels), closing.repeat(levels))
}

fn object(api_version: &str, kind: &str, members: &str) -> String {
    format!(
        r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"x","namespace":"default"}},{members}}}"#
    )
}

/// Objects without a type, with a value at the bottom of maps and lists.
fn untyped(bottom: &str) -> Vec<String> {
    let shapes = [(r#"{"a":"#, "}"), ("[", "]"), (r#"[{"a":"#, r#","name":"a"}]"#)];
    let specs = shapes.map(|(opening, closing)| nested(opening, closing, bottom));
    specs.iter().map(|spec| object("example.com/v1", "Widget", &format!(r#""spec":{spec}"#))).collect()
}

/// A definition whose schema is nested in one way.
fn definition(opening: &str, closing: &str, bottom: &str) -> String {
    let schema = nested(opening, closing, &format!(r#"{{"type":"string","maxLength":{bottom}}}"#));
    let version =
        format!(r#"{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{schema}}}}}"#);
    let names = r#"{"kind":"Widget","plural":"widgets"}"#;
    let spec = format!(
        r#""spec":{{"group":"example.com","names":{names},"scope":"Namespaced","versions":[{version}]}}"#
    );
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &spec)
}

/// Objects of built-in kinds: below fields of other types, of any type, and of a type that holds itself.
fn typed(bottom: &str) -> Vec<String> {
    let maps = nested(r#"{"a":"#, "}", bottom);
    let items = nested(r#"[{"a":"#, r#","name":"a"}]"#, bottom);
    vec![
        object("v1", "Pod", &format!(r#""spec":{{"containers":{items}}}"#)),
        object("apps/v1", "ControllerRevision", &format!(r#""revision":1,"data":{maps}"#)),
        definition(r#"{"type":"object","properties":{"a":"#, "}}", bottom),
    ]
}

/// More ways to nest what only admission and field managers look at.
fn nested_schemas_and_owners(bottom: &str) -> Vec<String> {
    let owned = nested(r#"{"f:a":"#, "}", "{}");
    let entry = format!(
        r#"{{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{owned}}}"#
    );
    let managed = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x","managedFields":[{entry}]}},"data":{{"a":"{bottom}"}}}}"#
    );
    vec![
        managed,
        definition(r#"{"type":"array","items":"#, "}", bottom),
        definition(r#"{"allOf":["#, "]}", bottom),
        definition(r#"{"type":"object","additionalProperties":"#, "}", bottom),
    ]
}

fn every_patch(rules: RuleSource<'_>, original: &str, modified: &str) {
    for (target, other) in TARGETS {
        let Ok(patch) = diff(rules, original, modified, target) else { continue };
        _ = apply(rules, original, &patch);
        _ = invert(rules, original, &patch, target);
        _ = convert(rules, original, &patch, other);
    }
    for patch_type in [PatchType::Strategic, PatchType::Merge] {
        // The whole object as a patch, with and without something to merge with.
        let patch = Patch::new(patch_type, modified).unwrap();
        _ = apply(rules, original, &patch);
        _ = apply(rules, "{}", &patch);
        _ = compose(rules, &[patch.clone(), patch]);
    }
    let versions = Versions { original, modified, current: original };
    _ = three_way(rules, &versions, OnConflict::Fail);
    _ = three_way(rules, &Versions { original: "{}", modified, current: original }, OnConflict::Fail);
    _ = conflicts(rules, &versions);
    _ = json_three_way(&versions, &[]);
    _ = kubectl_apply(rules, modified, Some(original), OnConflict::Fail);
    _ = kubectl_apply(rules, modified, None::<&str>, OnConflict::Fail);
}

fn every_other_verb(schema: &Schema, original: &str, modified: &str) {
    _ = admit(schema, original);
    _ = admit_update(schema, original, modified);
    _ = owners(original);
    _ = owners_of(original, "spec.a.a");
    for server in [ServerSideApply::new(schema), ServerSideApply::schemaless()] {
        _ = server.apply(Some(original), modified, &Applier::new("a").forced());
        if let Ok(applied) = server.apply(None::<&str>, original, &Applier::new("a")) {
            _ = server.apply(Some(&applied.object), modified, &Applier::new("b"));
        }
    }
}

fn on_small_thread(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

#[test]
fn untyped_documents_at_the_limit_are_merged() {
    on_small_thread(|| {
        for (original, modified) in untyped("1").iter().zip(untyped("2")) {
            let patch = diff(RuleSource::None, original.as_str(), modified.as_str(), Target::Merge).unwrap();
            assert_eq!(apply(RuleSource::None, original.as_str(), &patch).unwrap(), modified);
        }
    });
}

#[test]
fn patches_without_a_schema_end() {
    on_small_thread(|| {
        for (original, modified) in untyped("1").iter().zip(untyped("2")) {
            every_patch(RuleSource::None, original, &modified);
        }
    });
}

fn patches_end(dialect: Dialect) {
    on_small_thread(move || {
        let schema = Schema::latest(dialect);
        for (original, modified) in typed("1").iter().zip(typed("2")) {
            every_patch((&schema).into(), original, &modified);
        }
    });
}

#[test]
fn patches_as_upstream_end() {
    patches_end(Dialect::Upstream);
}

#[test]
fn patches_as_specified_end() {
    patches_end(Dialect::Spec);
}

#[test]
fn patches_as_kustomize_end() {
    patches_end(Dialect::Kustomize);
}

#[test]
fn admission_and_ownership_end() {
    on_small_thread(|| {
        let schema = Schema::latest(Dialect::Upstream);
        let all = |bottom| [untyped(bottom), typed(bottom), nested_schemas_and_owners(bottom)].concat();
        for (original, modified) in all("1").iter().zip(all("2")) {
            every_other_verb(&schema, original, &modified);
        }
    });
}
