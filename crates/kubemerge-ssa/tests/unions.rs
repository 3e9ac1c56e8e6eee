//! Laws of normalised unions and of applies that normalise them, on fresh random objects. A failing input is printed by proptest.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder, Type};
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    ApplyError, Conflicting, Endpoint, Live, ManagedFields, Time, Writer, apply,
};
use kubemerge_ssa::typed::ValidationErrors;
use kubemerge_ssa::unions::{Discriminator, check_unions, normalize_apply, normalize_update};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_test_support::seed::proptest_config;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Two unions in one type, one of them without a discriminator; a union below a member, and unions in lists.
fn choice() -> Type<'static> {
    schema().definition("Choice").unwrap()
}

fn schema() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
        let inner = json!({"$ref": "#/components/schemas/Choice"});
        let document = json!({"components": {"schemas": {"Choice": {"type": "object",
            "properties": {
                "name": {"type": "string"}, "kind": {"type": "string"},
                "a": {"type": "string"}, "b": inner, "c": {"type": "string"},
                "left": {"type": "string"}, "right": {"type": "string"},
                "list": {"type": "array", "items": inner, "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"]},
            },
            "x-kubernetes-unions": [
                {"discriminator": "kind", "fields-to-discriminateBy": {"a": "A", "b": "B", "c": "C"}},
                {"fields-to-discriminateBy": {"left": "Left", "right": "Right"}},
            ],
        }, "Widget": {"type": "object",
            "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "spec": inner},
            "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}],
        }}}});
        SchemaBuilder::new().openapi_v3(&document).unwrap().compile(Dialect::Spec).unwrap()
    });
    &SCHEMA
}

fn object() -> impl Strategy<Value = Value> {
    let leaf = members(Just(json!({})).boxed(), Just(json!([])).boxed());
    leaf.prop_recursive(2, 8, 2, |inner| {
        let named = (inner.clone(), prop::sample::select(vec!["x", "y"])).prop_map(|(mut item, name)| {
            item["name"] = json!(name);
            item
        });
        let list = prop::collection::vec(named, 0..2).prop_map(Value::from).boxed();
        members(inner, list)
    })
}

fn members(inner: BoxedStrategy<Value>, list: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let text = || prop_oneof![3 => Just(json!("x")), 1 => Just(Value::Null)].boxed();
    let kind = prop::sample::select(vec!["A", "B", "C", "a", "other", ""]).prop_map(Value::from).boxed();
    let fields = [
        ("kind", kind),
        ("a", text()),
        ("b", inner),
        ("c", text()),
        ("left", text()),
        ("right", text()),
        ("list", list),
    ];
    let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let values: Vec<_> = values.into_iter().map(|value| prop::option::weighted(0.4, value).boxed()).collect();
    let object = move |values: Vec<Option<Value>>| {
        let present = names.iter().zip(values).filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
        Value::Object(present.collect::<Map<_, _>>())
    };
    values.prop_map(object).boxed()
}

type Normalized = Result<Value, ValidationErrors>;

fn asked(
    values: [&Value; 2],
    ask: impl for<'a> Fn([ParsedValue<'a>; 2], &'a Arena) -> Result<ParsedValue<'a>, ValidationErrors>,
) -> Normalized {
    let arena = Arena::new();
    let values = values.map(|value| ParsedValue::from_json(value, &arena).unwrap());
    ask(values, &arena).map(|value| serde_json::from_slice(&value.to_json()).unwrap())
}

fn updated(old: &Value, new: &Value, mode: Discriminator) -> Normalized {
    asked([old, new], |[old, new], arena| normalize_update(choice(), old, new, mode, arena))
}

fn applied(config: &Value, merged: &Value, mode: Discriminator) -> Normalized {
    asked([config, merged], |[config, merged], arena| normalize_apply(choice(), config, merged, mode, arena))
}

fn is_valid(value: &Value) -> bool {
    let arena = Arena::new();
    check_unions(choice(), ParsedValue::from_json(value, &arena).unwrap()).is_empty()
}

/// A Widget with its owners.
#[derive(Clone, Debug, PartialEq)]
struct Widget {
    spec: Value,
    managed: ManagedFields,
}

impl Widget {
    fn new() -> Self {
        Widget { spec: Value::Null, managed: ManagedFields::new() }
    }

    /// The object after an apply.
    fn apply(&self, spec: &Value, manager: &str, conflicting: Conflicting) -> Result<Widget, ApplyError> {
        let (arena, nothing) = (Arena::new(), FieldSet::new());
        let object = |spec: &Value| {
            let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec});
            object.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            ParsedValue::parse(arena.alloc_str(&object.to_string()).as_bytes(), &arena).unwrap()
        };
        let endpoint = Endpoint {
            versions: &SameForm::built_in(schema(), "Widget").with_unions(schema().definition("Widget")),
            api_version: "example.com/v1",
            kind: "Widget",
            subresource: "",
            reset_fields: &nothing,
            order: FieldOrder::Label,
            empty: object(&Value::Null),
        };
        let live = Live { object: object(&self.spec), managed: &self.managed };
        let writer = Writer { manager, time: Some(Time(7)) };
        let applied = apply(&endpoint, live, object(spec), writer, conflicting, &arena)?;
        let object: Value = serde_json::from_slice(&applied.object.unwrap_or(live.object).to_json()).unwrap();
        Ok(Widget { spec: object["spec"].clone(), managed: applied.managed })
    }

    fn fields_of(&self, manager: &str) -> &str {
        let mut entries = self.managed.entries().iter();
        entries.find(|entry| &*entry.manager == manager).unwrap().fields.as_str()
    }
}

/// Whether there is a null or an empty container. Upstream: claims of such may be pruned by the next apply.
fn has_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty() || map.values().any(has_nothing),
        Value::Array(items) => items.is_empty() || items.iter().any(has_nothing),
        _ => false,
    }
}

/// Whether every union has at most one member.
fn has_one_each(value: &Value) -> bool {
    let count = |fields: &[&str]| fields.iter().filter(|field| !value[**field].is_null()).count();
    let items = value["list"].as_array().into_iter().flatten();
    count(&["a", "b", "c"]) <= 1 && count(&["left", "right"]) <= 1 && {
        items.chain([&value["b"]]).filter(|inner| inner.is_object()).all(has_one_each)
    }
}

fn mode() -> impl Strategy<Value = Discriminator> {
    prop_oneof![Just(Discriminator::Keep), Just(Discriminator::Deduce)]
}

proptest! {
    #![proptest_config(proptest_config(2048))]

    #[test]
    fn an_update_leaves_one_member_or_is_refused(old in object(), new in object(), mode in mode()) {
        if let Ok(result) = updated(&old, &new, mode) {
            prop_assert!(has_one_each(&result), "{}", result);
            prop_assert_eq!(updated(&old, &result, mode).unwrap(), result.clone(), "normalised again");
        }
    }

    #[test]
    fn a_valid_object_stays_as_it_is(old in object(), new in object()) {
        if is_valid(&new) {
            prop_assert_eq!(updated(&old, &new, Discriminator::Keep).unwrap(), new.clone());
            prop_assert_eq!(applied(&new, &new, Discriminator::Keep).unwrap(), new.clone());
        }
    }

    #[test]
    fn an_apply_leaves_one_member_or_is_refused(config in object(), mode in mode()) {
        if let Ok(result) = applied(&config, &config, mode) {
            prop_assert!(has_one_each(&result), "{}", result);
            prop_assert_eq!(applied(&result, &result, mode).unwrap(), result.clone(), "normalised again");
        }
    }

    #[test]
    fn an_object_has_one_member_each_after_applies_or_they_are_refused(
        first in object(), second in object(), manager in prop::sample::select(vec!["me", "you"]),
    ) {
        let created = Widget::new().apply(&first, "me", Conflicting::Refuse);
        prop_assert_eq!(created.is_ok(), applied(&first, &first, Discriminator::Deduce).is_ok());
        let Ok(created) = created else { return Ok(()) };
        prop_assert!(has_one_each(&created.spec), "{}", created.spec);
        let Ok(changed) = created.apply(&second, manager, Conflicting::Force) else { return Ok(()) };
        prop_assert!(has_one_each(&changed.spec), "{}", changed.spec);
        if !has_nothing(&first) && !has_nothing(&second) {
            prop_assert_eq!(&created.apply(&first, "me", Conflicting::Refuse).unwrap(), &created, "again");
            prop_assert_eq!(&changed.apply(&second, manager, Conflicting::Refuse).unwrap(), &changed, "again");
        }
    }

    #[test]
    fn what_is_valid_has_one_member_each(value in object()) {
        prop_assert!(!is_valid(&value) || has_one_each(&value));
    }
}

#[test]
fn every_fault_is_told() {
    let new = json!({"a": "x", "c": "x", "list": [{"name": "x", "left": "x", "right": "x"}]});
    let errors = updated(&json!({}), &new, Discriminator::Keep).unwrap_err();
    let told: Vec<String> =
        errors.0.iter().map(|error| format!("{}: {}", error.path, error.message)).collect();
    let wanted = [
        ": multiple fields set without discriminator change: a, c",
        ".list[0]: multiple fields set without discriminator change: left, right",
    ];
    assert_eq!(told, wanted);
}

#[test]
fn an_apply_owns_the_discriminator_of_its_member() {
    let created = Widget::new().apply(&json!({"a": "x"}), "me", Conflicting::Refuse).unwrap();
    assert_eq!(created.spec, json!({"a": "x", "kind": "A"}));
    assert_eq!(created.fields_of("me"), r#"{"f:spec":{"f:a":{},"f:kind":{}}}"#);
    let other = json!({"c": "x"});
    let ApplyError::Conflicts(conflicts) = created.apply(&other, "you", Conflicting::Refuse).unwrap_err()
    else {
        panic!("another manager owns the discriminator");
    };
    assert_eq!(conflicts.0.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), [".spec.kind"]);
    let forced = created.apply(&other, "you", Conflicting::Force).unwrap();
    assert_eq!(forced.spec, json!({"c": "x", "kind": "C"}));
    assert_eq!(forced.fields_of("you"), r#"{"f:spec":{"f:c":{},"f:kind":{}}}"#);
    // The other manager no longer has what was cleared.
    assert!(forced.managed.entries().iter().all(|entry| !entry.fields.as_str().contains("f:a")));
}

#[test]
fn an_apply_that_contradicts_itself_is_refused() {
    let both = json!({"list": [{"name": "x", "left": "x", "right": "x"}]});
    let refused = Widget::new().apply(&both, "me", Conflicting::Force).unwrap_err();
    assert!(matches!(refused, ApplyError::InvalidUnions(_)), "{refused:?}");
    assert_eq!(refused.to_string(), ".spec.list[0]: more than one field of a union is set: left, right");
}
