//! Laws over random objects of every built-in kind: the typed form of a typed form is itself, and what `admit`
//! answers is a fixed point. `KUBEMERGE_SEED` repeats a run.

use fastrand::Rng;
use kubemerge_kinds::tree::{Arena, KnownParts, Value, read_noting};
use kubemerge_kinds::typed::Decoded;
use kubemerge_kinds::{BuiltinKind, admit, admit_update};
use kubemerge_schema::{Dialect, GoKind, GoTypes, Schema, StructId};
use kubemerge_test_support::seed;
use kubemerge_value::{Canonical, Document, Entry, Kind, MapEdit, Node, to_bytes};

/// Random objects of each kind of the newest version, and of each older one.
const OBJECTS_PER_KIND: usize = 40;
const OLDER_OBJECTS_PER_KIND: usize = 5;
const MAX_DEPTH: usize = 5;

/// Writes random values of Go types.
struct Writer<'s> {
    types: GoTypes<'s>,
    rng: &'s mut Rng,
}

impl Writer<'_> {
    fn pick(&mut self, choices: &[&str]) -> String {
        choices[self.rng.usize(..choices.len())].to_owned()
    }

    fn object(&mut self, id: StructId, head: &[(&str, &str)]) -> String {
        let mut members: Vec<String> =
            head.iter().map(|(name, value)| format!("\"{name}\":\"{value}\"")).collect();
        for field in self.types.of(id).fields() {
            let name = field.name;
            let wanted = if name == "metadata" || name == "spec" { 9 } else { 3 };
            if !head.iter().any(|(known, _)| *known == name) && self.rng.usize(..10) < wanted {
                members.push(format!("\"{name}\":{}", self.value(field.value.kind, 1)));
            }
        }
        format!("{{{}}}", members.join(","))
    }

    fn value(&mut self, kind: GoKind, depth: usize) -> String {
        if self.rng.usize(..12) == 0 {
            return self.pick(&["null", "{}", "[]", "\"\"", "0", "false"]);
        }
        match kind {
            GoKind::Bool => self.pick(&["true", "false"]),
            GoKind::Int32 | GoKind::Int64 => self.pick(&["0", "1", "80", "-1", "65536"]),
            GoKind::Float64 => self.pick(&["0", "1.5", "1e3"]),
            GoKind::IntOrString => self.pick(&["0", "80", "\"http\"", "\"25%\""]),
            GoKind::Time => self.pick(&["\"2024-01-02T03:04:05+01:00\"", "null"]),
            GoKind::MicroTime => "\"2024-01-02T03:04:05.000006Z\"".to_owned(),
            GoKind::Duration => self.pick(&["\"90s\"", "\"1.5h\"", "\"0\""]),
            GoKind::Quantity => {
                let choices =
                    ["\"0.5\"", "\"1024Mi\"", "1", "\"1.500\"", "\"0.0001\"", "\"1e3\"", "\"-2Gi\""];
                self.pick(&choices)
            }
            GoKind::Bytes => self.pick(&["\"YQ==\"", "\"\"", "\"YQ\\n==\""]),
            GoKind::String => {
                let choices =
                    ["\"a\"", "\"\"", "\"Always\"", "\"example.com/x\"", "\"\\u00e9\\ud83d\"", "\"TCP\""];
                self.pick(&choices)
            }
            GoKind::Any => self.pick(&["{\"b\":1,\"a\":[1.50,null]}", "\"x\"", "null"]),
            GoKind::List(_) | GoKind::Map(_) | GoKind::Struct(_) if depth > MAX_DEPTH => "null".to_owned(),
            GoKind::StructOr(_, id) => self.value(GoKind::Struct(id), depth + 1),
            GoKind::List(item) => {
                let kind = self.types.value(item).kind;
                let items: Vec<String> =
                    (0..self.rng.usize(..3)).map(|_| self.value(kind, depth + 1)).collect();
                format!("[{}]", items.join(","))
            }
            GoKind::Map(item) => {
                let kind = self.types.value(item).kind;
                format!("{{\"z\":{},\"a\":{}}}", self.value(kind, depth + 1), self.value(kind, depth + 1))
            }
            GoKind::Struct(id) => {
                let mut members = Vec::new();
                for field in self.types.of(id).fields() {
                    if self.rng.usize(..10) < 3 {
                        members.push(format!(
                            "\"{}\":{}",
                            field.name,
                            self.value(field.value.kind, depth + 1)
                        ));
                    }
                }
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// Random objects of every kind of every version.
fn each_object(mut check: impl FnMut(&Schema, &str, &str, String)) {
    let mut rng = seed::rng();
    for minor in 25..=37 {
        let schema = Schema::builtin(&format!("1.{minor}"), Dialect::Upstream).unwrap();
        let count = if minor == 37 { OBJECTS_PER_KIND } else { OLDER_OBJECTS_PER_KIND };
        let mut writer = Writer { types: schema.go_types(), rng: &mut rng };
        let mut kinds = 0;
        for kind in schema.kinds() {
            let api_version = kind.api_version();
            let Some(id) = schema.go_struct(&api_version, kind.kind) else { continue };
            kinds += 1;
            for _ in 0..count {
                let text = writer.object(id, &[("apiVersion", &api_version), ("kind", kind.kind)]);
                check(&schema, &api_version, kind.kind, text);
            }
        }
        assert!(kinds > 50, "1.{minor} has only {kinds} kinds");
    }
}

#[test]
fn the_typed_form_of_a_typed_form_is_itself() {
    each_object(|schema, api_version, name, text| {
        let Some(kind) = BuiltinKind::find(schema, api_version, name) else { return };
        let arena = Arena::new();
        let Ok(first) = kind.decode(&arena, &text) else { return };
        let first = first.object.to_text();
        let second = kind.decode(&arena, &first).expect("a typed form can be read").object.to_text();
        assert_eq!(first, second, "{text}");
    });
}

/// An object with the members of another one in place of its own: runs of its text, and new parts between them.
fn merged<'a>(original: Node<'a>, patch: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let mut edit = MapEdit::new(original, arena);
    for Entry { key, value } in patch.sorted_entries() {
        match edit.seek(key) {
            Some(old) if old.kind() == Kind::Map && value.kind() == Kind::Map => {
                edit.replace(merged(old, value, arena));
            }
            Some(_) => edit.replace(value),
            None => edit.insert(key, value),
        }
    }
    edit.finish()
}

#[test]
fn a_node_decodes_as_its_text() {
    let mut last = "{}".to_owned();
    each_object(|schema, api_version, name, text| {
        let Some(kind) = BuiltinKind::find(schema, api_version, name) else { return };
        let arena = Arena::new();
        let original = Canonical::from_bytes(last.as_bytes()).expect("the object is JSON");
        let patch = Document::check(text.as_bytes()).expect("the object is JSON");
        for node in
            [merged(original.node(), patch.node(), &arena), merged(patch.node(), original.node(), &arena)]
        {
            let written = String::from_utf8(to_bytes(node)).expect("nodes are UTF-8");
            let answer = |decoded: Result<Decoded<'_>, _>| {
                decoded.map(|decoded| (decoded.object.to_text(), decoded.strict))
            };
            let from_node = answer(kind.decode_node(&arena, node, None));
            assert_eq!(from_node, answer(kind.decode(&arena, &written)), "{written}");
        }
        last = text;
    });
}

#[test]
fn a_patched_object_decodes_as_its_text() {
    let mut last = "{}".to_owned();
    each_object(|schema, api_version, name, text| {
        let Some(kind) = BuiltinKind::find(schema, api_version, name) else { return };
        let arena = Arena::new();
        let Ok(stored) = kind.decode(&arena, &text) else { return };
        let stored = Canonical::from_bytes(stored.object.to_text().as_bytes()).expect("the object is JSON");
        let mut known = KnownParts::new_in(&arena);
        read_noting(&arena, stored.as_str(), &mut known);
        let known = &*arena.alloc(known);
        let patch = Document::check(last.as_bytes()).expect("the object is JSON");
        let node = merged(stored.node(), patch.node(), &arena);
        let answer = |decoded: Result<Decoded<'_>, _>| {
            let as_given = |decoded: Decoded<'_>| {
                let mut text = Vec::new();
                Value::Map(decoded.object).append_as_given(&mut text);
                (String::from_utf8(text), decoded.strict)
            };
            decoded.map(as_given)
        };
        let beside = answer(kind.decode_node(&arena, node, Some(known)));
        assert_eq!(beside, answer(kind.decode_node(&arena, node, None)));
        last = text;
    });
}

#[test]
fn what_admit_answers_is_a_fixed_point() {
    let mut admitted = 0;
    each_object(|schema, _, _, text| {
        let Ok(first) = admit(schema, &text) else { return };
        // Kubernetes adds these keys to the selectors of every new object, as admit does.
        // Upstream: a default of 7.0 is a multiple of 0.5; it is written as 7, which is not.
        if first.contains("atchLabelKeys") || first.contains("multipleOf") {
            return;
        }
        match admit(schema, &first) {
            Ok(second) => assert_eq!(first, second, "{text}"),
            Err(refusal) => panic!("{refusal} of {first} from {text}"),
        }
        admitted += 1;
    });
    // Most random objects are refused; a law over none would say nothing.
    assert!(admitted > 100, "only {admitted} objects were admitted");
}

#[test]
fn updates_never_panic() {
    let mut last = String::new();
    each_object(|schema, _, _, text| {
        // The old object may be of another kind: callers may get this wrong.
        let _ = admit_update(schema, &last, &text);
        let _ = admit_update(schema, &text, &text);
        last = text;
    });
}
