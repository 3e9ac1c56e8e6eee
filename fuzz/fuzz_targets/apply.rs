//! Apply never panics, and every API gives the same answer: value, checked bytes, canonical bytes.
#![no_main]

use kubemerge_fuzz::{
    answer::{DIALECTS, applied},
    choices::{Choices, Role},
};
use kubemerge_schema::Dialect;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let live = choices.thing(Role::Object, 3);
    let patch = choices.thing(Role::Patch, 3);
    for dialect in DIALECTS {
        let result = applied(dialect, &live, &patch);
        if let (Dialect::Spec, Ok(result)) = (dialect, result) {
            assert!(!result.to_string().contains("\"$"), "a directive leaked: {result}");
        }
    }
});
