//! Any two texts that are objects: the patch generated from them turns the first into the second.
#![no_main]

use kubemerge::{Canonical, RuleSource, Target, Tests, apply, diff};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (Ok(original), Ok(modified)) =
        (Canonical::from_bytes(input.0.as_bytes()), Canonical::from_bytes(input.1.as_bytes()))
    else {
        return;
    };
    for target in [Target::Merge, Target::Json(Tests::Without), Target::Json(Tests::With)] {
        let Ok(patch) = diff(RuleSource::None, &original, &modified, target) else { continue };
        let result = apply(RuleSource::None, &original, &patch).expect("a patch that was made applies");
        let modified = if modified.as_bytes() == b"null" { b"{}" } else { modified.as_bytes() };
        assert_eq!(result.as_bytes(), modified, "{patch:?}");
    }
});
