//! Reading JSON never panics, accepts what serde_json accepts, and keeps its value through every writer.
#![no_main]

use kubemerge_fuzz::same;
use kubemerge_value::{Canonical, Document, deep_equal, segments, to_bytes, to_value};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let ours = Document::check(data);
    let theirs = serde_json::from_slice::<Value>(data);
    let Ok(document) = ours else {
        // serde_json and we refuse the same texts, but for depth.
        assert!(theirs.is_err(), "we refuse what serde_json reads");
        return;
    };
    let node = document.node();
    let canonical = Canonical::from_bytes(data).unwrap();
    assert_eq!(segments(node).iter().collect::<Vec<_>>().concat(), to_bytes(node));
    assert_eq!(Canonical::from_bytes(canonical.as_bytes()).unwrap(), canonical);
    let Ok(theirs) = theirs else {
        // Go reads a lone surrogate as U+FFFD; serde_json refuses it, and anything nested deeper than 127.
        assert!(document.depth() > 127 || data.windows(2).any(|text| text == b"\\u"), "serde_json refuses");
        return;
    };
    let value = to_value(node).unwrap();
    assert!(same(&value, &theirs), "{value} {theirs}");
    assert!(deep_equal(node, node));
});
