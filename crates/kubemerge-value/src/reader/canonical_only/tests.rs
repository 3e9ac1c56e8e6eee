//! Readers pass canonical text and nothing else.

use proptest::prelude::*;

use super::*;

/// The document, if a reader passes through it.
fn read(text: &[u8]) -> Option<Canonical> {
    let mut reader = Reader::new(text);
    reader.pass()?;
    reader.finish()
}

#[test]
fn canonical_text_is_read_to_its_end() {
    for text in [
        "{} [] null -12 1.5 1e-7 \"x:y\" [\"a\",\"a\",123456789012345678]".split(' ').collect(),
        vec![
            r#"{"":1,"a":[1,-2,{"x":true,"y":null}],"b":{"a":false,"aa":"é"},"c":[[],{}],"é":0}"#,
            r#"["a\"b\\\n","\u003c\u003e\u0026","a rather long text, with é in its second half"]"#,
        ],
    ]
    .concat()
    {
        assert_eq!(read(text.as_bytes()).expect(text).as_bytes(), text.as_bytes());
    }
    assert!(read(b" {}\n").is_some() && read(b"\x0c{}\x0c").is_none());
}

#[test]
fn everything_else_is_left_to_others() {
    let faults = r#"{ [1,] [,1] {,} {"a":1,} {"a"} {"a":} [1} {] 01 -0 - 1. 1.50 1.0 1E3 1e3 tru truex nullnull " "a
        "\ "\x" "\u0041" "\/" "<" {"b":1,"a":2} {"a":1,"a":2} {"a":{"c":1,"b":2}} {"a\n":1} {1:2} ["a""b"]
        1234567890123456789012"#;
    let spaced = ["", "{\"a\" :1}", "{\"a\": 1}", "[1 ,2]", "1 2", "\"\u{2028}\"", "\"a\nb\"", "\"é\u{1}\""];
    for text in faults.split_whitespace().chain(spaced) {
        assert!(read(text.as_bytes()).is_none(), "{text}");
    }
    assert!(read(b"\"\xff\"").is_none());
    assert!(read(("[".repeat(65) + &"]".repeat(65)).as_bytes()).is_none());
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let mut reader = Reader::new(b"[1,2]");
    assert_eq!((reader.open_map(), reader.name(), reader.item(), reader.string()), (None, None, None, None));
    reader.open_list().unwrap();
    assert_eq!((reader.number(), reader.name(), reader.item()), (None, None, Some(true)));
    assert_eq!((reader.open_list(), reader.number(), reader.number()), (None, Some(&b"1"[..]), None));
    assert_eq!(
        (reader.item(), reader.pass(), reader.item(), reader.item()),
        (Some(true), Some(()), Some(false), None)
    );
    assert!(reader.is_finished());
}

#[test]
fn trusted_text_may_have_any_names_and_depth() {
    let text = format!(r#"{{"a\"b":1.5,"\u0001":[null],"c":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let document = Canonical::from_bytes(text.as_bytes()).unwrap();
    let mut reader = document.reader();
    reader.open_map().unwrap();
    let mut seen = String::new();
    while let Some(name) = reader.name().unwrap() {
        seen += &format!("{}={:?} ", crate::Str::given(name).text(), reader.next_kind().unwrap());
        reader.pass().unwrap();
    }
    assert_eq!(seen, "\u{1}=List a\"b=Float c=List ");
    assert!(reader.is_finished() && reader.next_kind().is_none());
    assert_eq!(document.reader().scalar_node().map(Node::kind), None);
}

proptest! {
    #[test]
    fn what_is_read_is_canonical(text in r#"[\[\]{}:,"ab\\n<é01.\-e]{0,24}"#) {
        if let Some(document) = read(text.as_bytes()) {
            let canonical = Canonical::from_bytes(text.as_bytes()).unwrap();
            prop_assert_eq!(document.as_bytes(), canonical.as_bytes());
        }
    }

    #[test]
    fn what_is_canonical_is_read(names in prop::collection::btree_map("[a-zé/.<]{0,20}", "[ -~é\n]{0,40}", 0..6)) {
        let text = serde_json::to_vec(&[names]).unwrap();
        let canonical = Canonical::from_bytes(&text).unwrap();
        let escaped = |name: &[u8]| name.contains(&b'\\');
        if !escaped(canonical.as_bytes()) {
            prop_assert!(read(canonical.as_bytes()).is_some());
        }
    }
}
