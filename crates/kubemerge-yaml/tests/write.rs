//! YAML is written as Go writes it, and reads back to the same value.

use kubemerge_value::MAX_DEPTH;
use kubemerge_yaml::{self as yaml, KeyOrder, Options, WriteOptions};
use serde_json::Value;

const SORTED: WriteOptions = WriteOptions { key_order: KeyOrder::Sorted };

fn recorded() -> Vec<Value> {
    let mut file: Value = serde_json::from_str(include_str!("write_cases.json")).unwrap();
    serde_json::from_value(file["cases"].take()).unwrap()
}

fn read_back(text: &str) -> Value {
    let documents = yaml::parse(text.as_bytes(), &Options::default()).unwrap();
    assert!(documents.len() <= 1, "{text:?} holds several documents");
    documents
        .first()
        .map_or(Value::Null, |document| serde_json::from_slice(&document.to_json().unwrap()).unwrap())
}

#[test]
fn values_are_written_byte_for_byte_as_go_writes_them() {
    let cases = recorded();
    let disagreement = |case: &Value| {
        let ours = yaml::write_json(case["json"].as_str().unwrap().as_bytes(), &SORTED).unwrap();
        let expected = case.get("ours").unwrap_or(&case["yaml"]).as_str();
        (expected != Some(&ours)).then(|| format!("{case}\n  ours: {ours:?}"))
    };
    let failures: Vec<String> = cases.iter().filter_map(disagreement).collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn written_values_read_back() {
    for case in recorded() {
        let json = case["json"].as_str().unwrap();
        let value: Value = serde_json::from_str(json).unwrap();
        let same =
            |back: &Value| *back == value || back.as_f64().is_some_and(|back| Some(back) == value.as_f64());
        for options in [SORTED, WriteOptions::default()] {
            let text = yaml::write_json(json.as_bytes(), &options).unwrap();
            assert!(same(&read_back(&text)), "{json} became {text:?}");
        }
    }
}

#[test]
fn order_is_kept_unless_sorting_is_asked_for() {
    let json = br#"{"b":1,"a10":{"z":[],"y":"no"},"a2":3,"b":4}"#;
    let written = |key_order| yaml::write_json(json, &WriteOptions { key_order }).unwrap();
    assert_eq!(written(KeyOrder::Given), "b: 4\na10:\n  z: []\n  \"y\": \"no\"\na2: 3\n");
    assert_eq!(written(KeyOrder::Sorted), "a2: 3\na10:\n  \"y\": \"no\"\n  z: []\nb: 4\n");
}

#[test]
fn deep_values_do_not_cost_the_stack() {
    let run = || {
        let long_key = format!("{{\"{}\":", "k".repeat(129));
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), (&long_key, "}"), ("[{\"a b\":", "}]")] {
            let levels = MAX_DEPTH / 2;
            let json = format!("{}\"yes\\n\"{}", open.repeat(levels), close.repeat(levels));
            let text = yaml::write_json(json.as_bytes(), &SORTED).unwrap();
            assert!(text.len() < 2 * json.len() + 50_000, "{} grew to {}", json.len(), text.len());
            let document = &yaml::parse(text.as_bytes(), &Options::default()).unwrap()[0];
            assert_eq!(document.to_json().unwrap(), json.as_bytes());
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn texts_that_are_not_json_are_refused() {
    let refuse = |json: &str| yaml::write_json(json.as_bytes(), &SORTED).unwrap_err().to_string();
    assert_eq!(refuse("{\"a\":1,\n\"b\":}"), "line 2, column 5: not a JSON text");
    assert_eq!(refuse("a: 1"), "line 1, column 1: not a JSON text");
    assert_eq!(refuse("1 2"), "line 1, column 2: not a JSON text");
    assert_eq!(refuse(""), "line 1, column 1: not a JSON text");
}
