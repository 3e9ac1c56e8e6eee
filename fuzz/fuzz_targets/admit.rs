//! Any JSON as an object of any built-in kind: admit never panics, and what it answers is a fixed point.
#![no_main]

use std::sync::OnceLock;

use kubemerge_kinds::{admit, admit_update};
use kubemerge_schema::{Dialect, Schema};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fn schema() -> &'static (Schema, Vec<(String, String)>) {
    static SCHEMA: OnceLock<(Schema, Vec<(String, String)>)> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let schema = Schema::builtin("1.37", Dialect::Upstream).expect("1.37 is built in");
        let kinds = schema.kinds().iter().map(|kind| (kind.api_version(), kind.kind.to_owned())).collect();
        (schema, kinds)
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first_chunk::<2>() else { return };
    let (schema, kinds) = schema();
    let (api_version, kind) = &kinds[usize::from(u16::from_le_bytes(*choice)) % kinds.len()];
    // Text that is no JSON must not panic either.
    let _ = admit(schema, &String::from_utf8_lossy(text));
    let Ok(Value::Object(mut object)) = serde_json::from_slice(text) else { return };
    object.insert("apiVersion".to_owned(), api_version.as_str().into());
    object.insert("kind".to_owned(), kind.as_str().into());
    let text = Value::Object(object).to_string();
    let Ok(first) = admit(schema, &text) else { return };
    let _ = admit_update(schema, &first, &text);
    // Kubernetes adds these keys to the selectors of every new object, as admit does.
    // Upstream: a default of 7.0 is a multiple of 0.5; it is written as 7, which is not.
    if !first.contains("atchLabelKeys") && !first.contains("multipleOf") {
        assert_eq!(admit(schema, &first).ok().as_deref(), Some(first.as_str()), "{text}");
    }
});
