//! Reading JSON never panics, accepts what serde_json accepts, and keeps its value through every writer.
#![no_main]

use kubemerge_fuzz::same;
use kubemerge_value::{Canonical, Document, deep_equal, to_bytes, to_canonical, to_value, write::segments};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let ours = Document::check(data);
    let theirs = serde_json::from_slice::<Value>(data);
    let Ok(document) = ours else {
        // serde_json and we refuse the same texts, but for depth.
        assert!(theirs.is_err(), "we refuse what serde_json reads");
        assert!(Canonical::from_bytes(data).is_err(), "a reader passes what the check refuses");
        return;
    };
    let node = document.node();
    let canonical = Canonical::from_bytes(data).unwrap();
    assert_eq!(canonical, to_canonical(node), "a reader passes what is not canonical");
    assert_eq!(segments(node).iter().collect::<Vec<_>>().concat(), to_bytes(node));
    assert_eq!(Canonical::from_bytes(canonical.as_bytes()).unwrap(), canonical);
    if document.depth() > 127 {
        return; // More than serde_json reads, and than a `Value` may hold.
    }
    // Go reads a lone surrogate as U+FFFD; serde_json refuses it, but reads what we write for it.
    let theirs = theirs.unwrap_or_else(|_| {
        assert!(data.windows(2).any(|text| text == b"\\u"), "serde_json refuses what we read");
        serde_json::from_slice(canonical.as_bytes()).expect("canonical text is JSON")
    });
    let value = to_value(node).unwrap();
    assert!(same(&value, &theirs), "{value} {theirs}");
    assert!(deep_equal(node, node));
});
