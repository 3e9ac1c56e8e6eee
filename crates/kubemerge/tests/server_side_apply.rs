//! Server-side apply through the façade: plans, owners, transfer of ownership.

use kubemerge::{Applier, Dialect, Patch, Schema, SchemaBuilder, ServerSideApply, owners};
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{ApplyError, Effect, ManagedFields, Operation};
use kubemerge_ssa::value::{Arena, ParsedValue};
use serde_json::{Value, json};

fn config(data: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"c"}},"data":{data}}}"#)
}

fn schema() -> Schema {
    Schema::builtin("1.37", Dialect::Upstream).unwrap()
}

#[test]
fn a_plan_names_every_effect_and_its_owners() {
    let schema = schema();
    let server_side = ServerSideApply::new(&schema);
    let me = Applier::new("me");
    let object =
        server_side.apply(None::<&str>, &config(r#"{"a":"1","b":"2","g":"7"}"#), &me).unwrap().object;
    let you = Applier::new("you");
    let object =
        server_side.apply(Some(&object), &config(r#"{"a":"1","c":"3","d":"4"}"#), &you).unwrap().object;
    let plan = server_side.plan(Some(&object), &config(r#"{"b":"9","c":"8","d":"4","e":"5"}"#), &me).unwrap();
    let effect = |path: &str| plan.iter().find(|field| field.path == path).map(|field| field.effect);
    assert_eq!(effect(".data.b"), Some(Effect::Change));
    assert_eq!(effect(".data.c"), Some(Effect::Conflict));
    assert_eq!(effect(".data.d"), Some(Effect::Share));
    assert_eq!(effect(".data.e"), Some(Effect::Add));
    assert_eq!(effect(".data.a"), Some(Effect::Release), "the other manager keeps it");
    assert_eq!(effect(".data.g"), Some(Effect::Prune));
    let contested = plan.iter().find(|field| field.effect == Effect::Conflict).unwrap();
    assert_eq!(&*contested.others[0].manager, "you");
    assert_eq!((contested.before.as_deref(), contested.after.as_deref()), (Some("\"3\""), Some("\"8\"")));
    let forced = server_side.plan(Some(&object), &config(r#"{"c":"8"}"#), &me.forced()).unwrap();
    assert!(forced.iter().any(|field| field.effect == Effect::TakeOver));
}

/// What `kubectl get -o yaml` shows has no owners, and what `kubectl apply` wrote has an annotation instead.
#[test]
fn the_conflicts_of_a_plan_are_those_of_the_apply() {
    let schema = schema();
    let server_side = ServerSideApply::new(&schema);
    let applied_before = config(r#"{"a":"1","b":"2"}"#);
    let annotation = json!({"kubectl.kubernetes.io/last-applied-configuration": applied_before}).to_string();
    let annotated =
        applied_before.replace(r#""name":"c""#, &format!(r#""name":"c","annotations":{annotation}"#));
    let wanted = config(r#"{"a":"9","b":"2","c":"3"}"#);
    for (live, manager, conflicts) in [
        (&applied_before, "me", vec![".data.a"]),
        (&annotated, "me", vec![".data.a"]),
        // Its own client-side apply gives way.
        (&annotated, "kubectl", vec![]),
    ] {
        let plan = server_side.plan(Some(live), &wanted, &Applier::new(manager)).unwrap();
        let of_plan = plan.iter().filter(|field| field.effect == Effect::Conflict);
        assert_eq!(of_plan.map(|field| field.path.as_str()).collect::<Vec<_>>(), conflicts);
        let applied = server_side.apply(Some(live), &wanted, &Applier::new(manager));
        let of_apply = match applied {
            Err(ApplyError::Conflicts(found)) => found.0.into_iter().map(|conflict| conflict.path).collect(),
            other => other.map(|_| Vec::new()).unwrap(),
        };
        assert_eq!(of_apply, conflicts);
        let changed = plan.iter().find(|field| field.path == ".data.a").unwrap();
        assert_eq!(&*changed.others[0].manager, "before-first-apply");
    }
}

#[test]
fn applying_twice_changes_nothing() {
    let schema = schema();
    let server_side = ServerSideApply::new(&schema);
    let once = server_side.apply(None::<&str>, &config(r#"{"a":"1"}"#), &Applier::new("me")).unwrap();
    let twice = server_side.apply(Some(&once.object), &config(r#"{"a":"1"}"#), &Applier::new("me")).unwrap();
    assert!(once.has_changed && !twice.has_changed);
    assert_eq!(once.object, twice.object);
}

/// A kind with a union, of an OpenAPI document.
fn schema_with_union(dialect: Dialect) -> Schema {
    let text = json!({"type": "string"});
    let document = json!({"components": {"schemas": {"Subject": {"type": "object",
        "properties": {"apiVersion": text, "kind": text, "account": text, "group": text, "user": text,
            "metadata": {"type": "object", "additionalProperties": text}},
        "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Subject"}],
        "x-kubernetes-unions": [{"discriminator": "account",
            "fields-to-discriminateBy": {"group": "Group", "user": "User"}}],
    }}}});
    SchemaBuilder::new().openapi_v3(&document).unwrap().compile(dialect).unwrap()
}

#[test]
fn unions_clear_in_spec_only() {
    let subject = |fields: &str| format!(r#"{{"apiVersion":"example.com/v1",{fields},"kind":"Subject"}}"#);
    let (user, group) = (subject(r#""user":"u""#), subject(r#""group":"g""#));
    let applied = |dialect: Dialect| {
        let schema = schema_with_union(dialect);
        let server_side = ServerSideApply::new(&schema);
        let live = server_side.apply(None::<&str>, &user, &Applier::new("me")).unwrap().object;
        let applied = server_side.apply(Some(&live), &group, &Applier::new("you").forced()).unwrap();
        let object: Value = serde_json::from_str(&applied.object).unwrap();
        ["account", "group", "user"].map(|field| object[field].as_str().map(str::to_owned))
    };
    let fields = |fields: [Option<&str>; 3]| fields.map(|field| field.map(str::to_owned));
    assert_eq!(applied(Dialect::Spec), fields([Some("Group"), Some("g"), None]));
    assert_eq!(applied(Dialect::Upstream), fields([None, Some("g"), Some("u")]));

    let schema = schema_with_union(Dialect::Spec);
    let server_side = ServerSideApply::new(&schema);
    let live = server_side.apply(None::<&str>, &user, &Applier::new("me")).unwrap().object;
    let plan = server_side.plan(Some(&live), &group, &Applier::new("you")).unwrap();
    let contested = plan.iter().find(|field| field.path == ".account").map(|field| field.effect);
    assert_eq!(contested, Some(Effect::Conflict), "the discriminator is part of the configuration");

    let both = subject(r#""group":"g","user":"u""#);
    let patch = Patch::apply(&both, Applier::new("me")).unwrap();
    let error = kubemerge::apply(&schema, "{}", &patch).unwrap_err();
    assert_eq!((error.kind().name(), error.http_status()), ("invalid-union", 422));
}

#[test]
fn owners_are_listed_by_field() {
    let schema = schema();
    let server_side = ServerSideApply::new(&schema);
    let one = server_side.apply(None::<&str>, &config(r#"{"a":"1"}"#), &Applier::new("me")).unwrap();
    let two = server_side.apply(Some(&one.object), &config(r#"{"a":"1"}"#), &Applier::new("you")).unwrap();
    let owned = owners(&two.object).unwrap();
    assert_eq!(owned.len(), 1);
    assert_eq!(owned[0].path, ".data.a");
    let names: Vec<&str> = owned[0].owners.iter().map(|owner| &*owner.manager).collect();
    assert_eq!(names, ["me", "you"]);
}

#[test]
fn ownership_can_be_transferred() {
    let arena = Arena::new();
    let entries = br#"[{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",
        "fieldsV1":{"f:data":{".":{},"f:x":{},"f:y":{}}}}]"#;
    let entries = ParsedValue::parse(entries, &arena).unwrap();
    let managed = ManagedFields::read(Some(entries), FieldOrder::Path).unwrap();
    let from = managed.entries()[0].id();
    let mut to = from.clone();
    (to.manager, to.operation, to.api_version) = ("b".into(), Operation::Apply, "".into());
    let paths = FieldSet::of_names(&[&["data", "x"]], &arena);
    let moved = managed.transferred(&from, &to, &paths, FieldOrder::Path).unwrap();
    let texts: Vec<&str> = moved.entries().iter().map(|entry| entry.fields.as_str()).collect();
    assert_eq!(texts, [r#"{"f:data":{"f:x":{}}}"#, r#"{"f:data":{".":{},"f:y":{}}}"#]);
}

#[test]
fn applies_own_their_schema() {
    // Owns its schema, so both fit into one struct, and moves to another thread.
    struct Applies {
        server_side: ServerSideApply,
    }
    let schema = Schema::latest(Dialect::Upstream);
    let applies = Applies { server_side: ServerSideApply::new(&schema) };
    drop(schema);
    let config = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}"#;
    let created =
        std::thread::spawn(move || applies.server_side.apply(None::<&str>, config, &Applier::new("me")));
    assert!(created.join().unwrap().unwrap().object.contains(r#""f:data":{"f:a":{}}"#));
}
