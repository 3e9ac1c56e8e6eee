//! Any two documents: every API makes the same patch of them, in both dialects, or finds them at fault.
//! A patch of the `spec` dialect makes the second of the first; the patch from a document to itself is empty.
#![no_main]

use kubemerge_fuzz::{
    answer::{DIALECTS, applied, diffed},
    choices::versions,
    sound::sound,
};
use kubemerge_schema::Dialect;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let [original, modified] = versions(data);
    for dialect in DIALECTS {
        if let Ok(patch) = diffed(dialect, &original, &modified) {
            let _ = applied(dialect, &original, &patch);
        }
    }
    check_laws(&sound(&original), &sound(&modified));
});

fn check_laws(original: &Value, modified: &Value) {
    let patch = diffed(Dialect::Spec, original, modified).expect("sound documents have a patch");
    let result = applied(Dialect::Spec, original, &patch).expect("a patch that was made applies");
    assert_eq!(result, *modified, "{original} and {patch}");
    assert_eq!(diffed(Dialect::Spec, modified, modified), Ok(json!({})));
}
