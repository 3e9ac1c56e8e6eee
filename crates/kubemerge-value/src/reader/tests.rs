//! The pull reader agrees with the check of the lazy engine and with serde_json, and knows canonical text.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::{Canonical, Document, deep, to_bytes, to_canonical};

/// The value that a reader finds, as serde_json has it.
pub(crate) fn read_value(reader: &mut PullReader<'_>) -> Value {
    match reader.start() {
        Start::Map => deep(|| {
            let mut map = serde_json::Map::new();
            let mut level = reader.open_map();
            while let Some(name) = reader.name(&mut level) {
                map.insert(name.to_owned(), read_value(reader));
            }
            Value::Object(map)
        }),
        Start::List => deep(|| {
            let mut list = Vec::new();
            let mut level = reader.open_list();
            while reader.item(&mut level) {
                list.push(read_value(reader));
            }
            Value::Array(list)
        }),
        Start::Str => reader.string().into(),
        Start::Number => {
            let number = reader.number();
            number.int().map_or_else(|| number.float().into(), Value::from)
        }
        start => {
            reader.word();
            if start == Start::Null { Value::Null } else { (start == Start::True).into() }
        }
    }
}

/// Reads a text in both ways, by steps and by passing over it, and checks what is known of it.
fn check(bytes: &[u8]) -> Option<Value> {
    let arena = Arena::new();
    let mut reader = PullReader::of_bytes(bytes, &arena);
    let value = read_value(&mut reader);
    let form = reader.finish();
    assert_eq!(form, PullReader::of_bytes(bytes, &arena).form_of_all(), "{}", String::from_utf8_lossy(bytes));
    // Both are of the lazy engine, which does not use the reader.
    let expected = match Document::check(bytes) {
        Ok(document) if to_canonical(document.node()).as_bytes() == bytes => TextForm::Canonical,
        Ok(_) => TextForm::Given,
        Err(_) => TextForm::NotJson,
    };
    assert_eq!(form, expected, "{}", String::from_utf8_lossy(bytes));
    (form < TextForm::NotJson).then_some(value)
}

/// The same, held against serde_json.
fn check_against_serde(text: &str) {
    let ours = check(text.as_bytes());
    match (ours, serde_json::from_str::<Value>(text)) {
        (Some(ours), Ok(theirs)) => assert!(is_same(&ours, &theirs), "{text}: {ours}"),
        (None, Err(_)) => {}
        // Go reads half of a surrogate pair as U+FFFD.
        (Some(_), Err(_)) => assert!(text.contains("\\u"), "{text}"),
        (None, Ok(_)) => panic!("refused: {text}"),
    }
}

/// Whether both are the same value. Without a feature that costs time serde_json reads a float with an error in its
/// last digit; it reads -0 as a float, and integers beyond 64 signed bits as integers.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => {
            let (one, other) = (ours.as_f64().unwrap_or_default(), theirs.as_f64().unwrap_or_default());
            match (ours.as_i64(), theirs.as_i64()) {
                (None, None) => (one - other).abs() <= 1e-15 * one.abs(),
                (ours, theirs) => ours == theirs || ours == Some(0) && other == 0.0,
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            let has = |(name, one)| theirs.get(name).is_some_and(|other| is_same(one, other));
            ours.len() == theirs.len() && ours.iter().all(has)
        }
        _ => ours == theirs,
    }
}

#[test]
fn forms_are_known_at_the_end() {
    let arena = Arena::new();
    let form = |text| PullReader::new(text, &arena).form_of_all();
    for text in [
        r#"{"":1,"a":[1,-2,{"x":true,"y":null}],"b":{"a":false,"aa":"é"},"c":[[],{}],"é":0}"#,
        r#"{"\u0001":1,"\n":2,"a\"b":3}"#,
        r#"["a\"b\\\n\b\f","\u003c\u003e\u0026\u2028\u001f","a rather long text, with é in its second half"]"#,
        "-12",
        "1.5",
        "1e-7",
        "9223372036854775807",
    ] {
        assert_eq!(form(text), TextForm::Canonical, "{text}");
        check_against_serde(text);
    }
    for text in [
        " {}",
        "{}\n",
        "[1, 2]",
        "[1.0]",
        "-0",
        "1e3",
        r#""\/""#,
        r#""\u0041""#,
        r#""\u003C""#,
        r#""\u0008""#,
        "\"<\"",
        "\"\u{2028}\"",
        r#"{"b":1,"a":2}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a\n":1,"a":2}"#,
        "12345678901234567890",
    ] {
        assert_eq!(form(text), TextForm::Given, "{text}");
        check_against_serde(text);
    }
    for text in [
        "",
        "{",
        "[1,]",
        "[,1]",
        "{,}",
        r#"{"a":1,}"#,
        r#"{"a"}"#,
        r#"{"a":}"#,
        "{:1}",
        "[1}",
        "{]",
        "01",
        "-",
        "1.",
        "1e400",
        "tru",
        "truex",
        "nullnull",
        "\"",
        "\"a",
        "\"\\",
        r#""\x""#,
        r#""\u00g0""#,
        "\"a\nb\"",
        "{1:2}",
        "1 2",
        "[\"a\"\"b\"]",
        "[1 2]",
        "[\0]",
        "\0",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
    ] {
        assert_eq!(form(text), TextForm::NotJson, "{text}");
        check_against_serde(text);
    }
    assert_eq!(check(b"\"\xff\""), None);
}

#[test]
fn the_depth_limit_is_that_of_the_check() {
    for levels in [MAX_DEPTH, MAX_DEPTH + 1] {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        let arena = Arena::new();
        let is_json = PullReader::new(&text, &arena).form_of_all() == TextForm::Canonical;
        assert_eq!(is_json, Document::check(text.as_bytes()).is_ok());
    }
}

#[test]
fn numbers_know_how_they_were_written() {
    let arena = Arena::new();
    let read = |text| {
        let number = PullReader::new(text, &arena).number();
        (number.int(), number.is_written_as_float(), number.literal() == text)
    };
    assert_eq!(read("7"), (Some(7), false, true));
    assert_eq!(read("-9223372036854775808"), (Some(i64::MIN), false, true));
    assert_eq!(read("7.0"), (None, true, true));
    assert_eq!(read("7e0"), (None, true, true));
    assert_eq!(read("9223372036854775808"), (None, false, true));
}

#[test]
fn steps_that_do_not_fit_end_the_text() {
    let arena = Arena::new();
    let mut reader = PullReader::new(r#"[{"a":1}]"#, &arena);
    let mut list = reader.open_list();
    assert!(reader.item(&mut list));
    assert_eq!(reader.string(), "");
    assert!(!reader.item(&mut list));
    assert_eq!(reader.start(), Start::Null);
    assert_eq!(reader.finish(), TextForm::NotJson);
    // A caller that passes over nothing comes to an end, too.
    let mut reader = PullReader::new("[1,2]", &arena);
    let mut list = reader.open_list();
    assert!(reader.item(&mut list) && !reader.item(&mut list));
}

#[test]
fn a_float_stays_one() {
    let arena = Arena::new();
    let value = serde_json::json!([5.0, 1e300, -0.0, 5]);
    let mut reader = PullReader::of_node(Node::from_value(&value).unwrap(), &arena);
    assert_eq!(read_value(&mut reader), value);
    assert_eq!(reader.finish(), TextForm::Given);
}

/// JSON values with names and strings in which much needs an escape.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-100i64..100).prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no other floats", |float| float.is_finite()).prop_map(Value::from),
        "[ -~é\n\u{1}\u{2028}<]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-cé\"\n<]{0,3}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_reads_as_serde_json_reads_it(text in r#"[\[\]{}:,"ab\\nu0<é1.\-e \u{0}]{0,24}"#) {
        check_against_serde(&text);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        check(&bytes);
    }

    #[test]
    fn values_are_read_from_any_of_their_texts(value in values(), cut in 0usize..200) {
        let (compact, pretty) = (value.to_string(), serde_json::to_string_pretty(&value).unwrap());
        let canonical = Canonical::from_bytes(compact.as_bytes()).unwrap();
        for text in [&compact, &pretty, canonical.as_str()] {
            check_against_serde(text);
            check(&text.as_bytes()[..cut.min(text.len())]);
        }
        prop_assert_eq!(check(canonical.as_bytes()).map(|_| ()), Some(()));
    }

    #[test]
    fn a_node_reads_as_its_text(original in values(), patch in values()) {
        let arena = Arena::new();
        let (original, patch) = (original.to_string(), patch.to_string());
        let original = Canonical::from_bytes(original.as_bytes()).unwrap();
        let patch = Document::check(patch.as_bytes()).unwrap();
        // Text, with the members of a patch in place of some of its own.
        let mut edit = crate::MapEdit::new(original.node(), &arena);
        for entry in patch.node().sorted_entries() {
            match edit.seek(entry.key) {
                Some(_) => edit.replace(entry.value),
                None => edit.insert(entry.key, entry.value),
            }
        }
        for node in [edit.finish(), crate::list(vec![original.node(), patch.node(), Node::string("<é\n")], &arena)] {
            let mut reader = PullReader::of_node(node, &arena);
            let read = read_value(&mut reader);
            prop_assert_eq!(reader.finish(), TextForm::Given);
            let text = to_bytes(node);
            prop_assert_eq!(Some(read), check(&text));
            let passed = PullReader::of_node(node, &arena).pass();
            prop_assert_eq!(passed.as_bytes(), &text[..]);
        }
    }
}
