//! The pull reader never panics, reads what the lazy engine reads, and knows canonical text.
#![no_main]

use kubemerge_fuzz::same;
use kubemerge_value::{Arena, Document, PullReader, Start, TextForm, deep, to_canonical, to_value};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

fuzz_target!(|data: &[u8]| {
    let arena = Arena::new();
    let form = PullReader::of_bytes(data, &arena).form_of_all();
    let document = Document::check(data);
    let expected = match &document {
        Ok(document) if to_canonical(document.node()).as_bytes() == data => TextForm::Canonical,
        Ok(_) => TextForm::Given,
        Err(_) => TextForm::NotJson,
    };
    assert_eq!(form, expected);
    // More levels than a `Value` may hold.
    if data.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > 127 {
        return;
    }
    let mut reader = PullReader::of_bytes(data, &arena);
    let value = read(&mut reader);
    assert_eq!(form, reader.finish(), "steps and passing over differ");
    if let Ok(document) = document {
        let expected = to_value(document.node()).unwrap();
        assert!(same(&value, &expected), "{value} {expected}");
        let mut reader = PullReader::of_node(document.node(), &arena);
        assert!(same(&read(&mut reader), &expected), "a node reads as something else");
    }
});

fn read(reader: &mut PullReader<'_>) -> Value {
    match reader.start() {
        Start::Map => deep(|| {
            let (mut map, mut level) = (Map::new(), reader.open_map());
            while let Some(name) = reader.name(&mut level) {
                map.insert(name.to_owned(), read(reader));
            }
            Value::Object(map)
        }),
        Start::List => deep(|| {
            let (mut list, mut level) = (Vec::new(), reader.open_list());
            while reader.item(&mut level) {
                list.push(read(reader));
            }
            Value::Array(list)
        }),
        Start::Str => reader.string().into(),
        Start::Number => {
            let number = reader.number();
            number.int().map_or_else(|| number.float().into(), Value::from)
        }
        start => {
            reader.word();
            if start == Start::Null { Value::Null } else { (start == Start::True).into() }
        }
    }
}
