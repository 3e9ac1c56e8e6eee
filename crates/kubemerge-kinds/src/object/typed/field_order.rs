//! The order in which Go writes the fields of a struct: that of their declaration.
//!
//! Objects are stored and shown with sorted names. Only messages that quote an object as kube-apiserver encodes it
//! need the other order. `cargo xtask schemas` writes the table.

use std::collections::HashMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!("field_order.txt");

/// A struct by its package and its name.
type Struct = (&'static str, &'static str);

/// The fields of a struct in their order; none if that is the order of the alphabet.
pub(crate) fn fields(definition: &str) -> Option<&'static str> {
    static FIELDS: OnceLock<HashMap<Struct, &'static str>> = OnceLock::new();
    FIELDS.get_or_init(read).get(&definition.rsplit_once('.')?).copied()
}

/// The place of a field; fields that are not listed come last.
pub(crate) fn place(fields: &str, name: &str) -> usize {
    fields.split(' ').position(|field| field == name).unwrap_or(usize::MAX)
}

fn read() -> HashMap<Struct, &'static str> {
    let mut found = HashMap::new();
    let mut package = "";
    for (name, rest) in TABLE.lines().filter_map(|line| line.split_once(' ')) {
        // `= package` begins a package; the structs in it follow.
        if name == "=" {
            package = rest;
        } else {
            found.insert((package, name), rest);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_structs_are_in_their_place() {
        let fields = fields("io.k8s.api.core.v1.Volume").expect("not in the order of the alphabet");
        assert!(fields.starts_with("name hostPath emptyDir "));
    }

    #[test]
    fn unlisted_fields_come_last() {
        assert_eq!(place("b a", "a"), 1);
        assert_eq!(place("b a", "c"), usize::MAX);
    }
}
