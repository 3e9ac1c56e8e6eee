//! Reading fieldsV1 never panics; what is read is written canonically and reads back as the same set.
#![no_main]

use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::value::Arena;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let arena = Arena::new();
    let Ok(set) = FieldSet::read(text, &arena) else { return };
    for order in [FieldOrder::Path, FieldOrder::Label] {
        let written = set.to_fields_v1(order);
        let again = FieldSet::read(&written, &arena).expect("what is written can be read");
        assert_eq!(again, set);
        assert_eq!(again.to_fields_v1(order), written);
    }
    assert!(set.difference(&set, &arena).is_empty());
    assert_eq!(set.union(&set, &arena), set);
});
