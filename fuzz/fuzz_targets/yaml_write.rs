//! Any JSON value: what is written reads back to the same value, in either order of keys.
#![no_main]

use kubemerge_fuzz::same;
use kubemerge_yaml::{self as yaml, KeyOrder, WriteOptions};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    for key_order in [KeyOrder::Given, KeyOrder::Sorted] {
        let text = yaml::write_json(bytes, &WriteOptions { key_order }).expect("JSON can be written");
        let documents = yaml::parse(text.as_bytes(), &yaml::Options::default()).expect("YAML can be read");
        let json = documents.first().map_or(b"null".to_vec(), |document| document.to_json().unwrap());
        let back: Value = serde_json::from_slice(&json).unwrap();
        assert!(same(&back, &value), "{value} became {text:?}");
    }
});
