//! Any two texts, a document and a JSON patch or a JSON merge patch: applying never panics, checked bytes,
//! canonical bytes and values answer alike, and canonical stays canonical.
#![no_main]

use kubemerge::{Canonical, Error, RuleSource, Patch, PatchType, apply};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: (&str, &str)| {
    let (live, patch) = input;
    for patch_type in [PatchType::Json, PatchType::Merge] {
        let Ok(patch) = Patch::new(patch_type, patch) else { continue };
        if let Ok(result) = apply(RuleSource::None, live, &patch) {
            Canonical::from_bytes(result.as_bytes()).expect("what is written is JSON");
        }
        let (Ok(live), body) = (Canonical::from_bytes(live.as_bytes()), patch.to_bytes()) else { continue };
        check_forms(&live, &Canonical::from_bytes(&body).expect("a patch is JSON"), patch_type);
    }
});

fn check_forms(live: &Canonical, body: &Canonical, patch_type: PatchType) {
    let Ok(patch) = Patch::new(patch_type, body) else { return };
    let trusted = apply(RuleSource::None, live, &patch);
    if let Ok(result) = &trusted {
        assert_eq!(*result, Canonical::from_bytes(result.as_bytes()).expect("canonical is JSON"));
    }
    let trusted = trusted.map(Canonical::into_bytes);
    let checked = apply(RuleSource::None, live.as_bytes(), &patch).map(|bytes| canonical(&bytes));
    assert_eq!(trusted, checked);
    let decoded = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let (Some(live), Some(body)) = (decoded(live.as_bytes()), decoded(body.as_bytes())) else { return };
    let by_value: Result<Value, Error> =
        Patch::new(patch_type, &body).and_then(|patch| apply(RuleSource::None, &live, &patch));
    match (&trusted, &by_value) {
        (Ok(bytes), Ok(value)) => assert_eq!(*bytes, canonical(&serde_json::to_vec(value).unwrap())),
        // Values may not be nested as deep as bytes.
        (_, Err(error)) if error.kind().name() == "invalid-document" => {}
        (trusted, by_value) => assert!(trusted.is_err() && by_value.is_err(), "{trusted:?} {by_value:?}"),
    }
}

fn canonical(bytes: &[u8]) -> Vec<u8> {
    Canonical::from_bytes(bytes).expect("what is written is JSON").into_bytes()
}
