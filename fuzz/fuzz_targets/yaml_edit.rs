//! Any two texts: the first, edited to hold the value of the second, holds it.
#![no_main]

use kubemerge_fuzz::same;
use kubemerge_yaml::{self as yaml, YamlDocument, Options};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: (String, String)| {
    let (old, new) = (only_document(&input.0), only_document(&input.1));
    let (Some(old), Some(json)) = (old, new.and_then(|new| new.to_json().ok())) else { return };
    let Ok(edits) = old.edits_to_json(&json) else { return };
    let edited = yaml::apply_edits(&input.0, &edits);
    let back = only_document(&edited).expect("one document stays one document");
    let value = |json: &[u8]| serde_json::from_slice::<Value>(json).unwrap();
    assert!(same(&value(&back.to_json().unwrap()), &value(&json)), "{:?} became {edited:?}", input.0);
});

fn only_document(text: &str) -> Option<YamlDocument<'_>> {
    let mut documents = yaml::parse(text.as_bytes(), &Options::default()).ok()?;
    (documents.len() == 1).then(|| documents.remove(0))
}
