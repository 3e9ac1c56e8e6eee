//! Any bytes: reading never panics, what is read is JSON, every place is within the text, and an equal
//! value needs no edit.
#![no_main]

use kubemerge_value::Document;
use kubemerge_yaml as yaml;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(documents) = yaml::documents(bytes, &yaml::Options::default()) else { return };
    for document in documents.flatten() {
        let Ok(json) = document.to_json() else { continue };
        Document::check(&json).expect("what is read is JSON");
        for trap in document.traps() {
            assert!(document.text().get(trap.range.clone()).is_some());
        }
        check_places(&document);
        assert_eq!(document.edits_to_json(&json), Ok(Vec::new()));
    }
});

fn check_places(document: &yaml::YamlDocument<'_>) {
    let mut places = vec![document.root()];
    while let Some(place) = places.pop() {
        assert!(document.text().get(place.range()).is_some());
        assert!(document.text().get(place.outer_range()).is_some());
        places.extend(place.elements());
        places.extend(place.entries().flat_map(|(key, value)| [key, value]));
    }
}
