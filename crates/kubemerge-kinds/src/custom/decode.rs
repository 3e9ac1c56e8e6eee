//! The tree of a custom resource: any JSON, as it is.

use crate::{
    tree::{Arena, Map, Value},
    typed::read_typed_form,
};

/// Reads the text of an object, which must be well-formed JSON. Of fields with one name the last one counts. A number is
/// an integer only if it is written as one: schemas tell `7` and `7.0` apart.
pub fn decode<'a>(arena: &'a Arena, text: &'a str) -> Map<'a> {
    match read_typed_form(arena, text) {
        Value::Map(object) => object,
        _ => Map::new_in(arena),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_as_it_is() {
        let arena = Arena::new();
        let text = r#"{"b":7.0,"a":[2e0,-0,18446744073709551616],"b":{"y":null,"x":"\u0041"},"c":7.0}"#;
        let object = decode(&arena, text);
        assert_eq!(object.to_text(), r#"{"a":[2,0,18446744073709552000],"b":{"x":"A","y":null},"c":7}"#);
        assert!(matches!(object.list("a"), [Value::Float(_), Value::Int(0), Value::Float(_)]));
        assert!(matches!(object.get("c"), Some(Value::Float(_))));
        assert!(decode(&arena, "[1]").is_empty());
    }
}
