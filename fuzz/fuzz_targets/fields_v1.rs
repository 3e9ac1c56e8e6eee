//! Reading fieldsV1 never panics; what is read is written canonically and reads back as the same set. A set that keeps
//! the text it was read from is written as one that was built from its paths.
#![no_main]

use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::value::Arena;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let arena = Arena::new();
    let Ok(set) = FieldSet::read(text, &arena) else { return };
    let mut paths = Vec::new();
    set.each_path(|path| paths.push(path.to_vec()));
    let built = FieldSet::of_paths(paths, &arena);
    assert_eq!(built, set);
    for order in [FieldOrder::Path, FieldOrder::Label] {
        let written = set.to_fields_v1(order);
        assert_eq!(built.to_fields_v1(order), written);
        let again = FieldSet::read(&written, &arena).expect("what is written can be read");
        assert_eq!(again, set);
        assert_eq!(again.to_fields_v1(order), written);
    }
    assert!(set.difference(&set, &arena).is_empty());
    assert_eq!(set.union(&set, &arena), set);
});
