//! Values as Kubernetes prints them inside its messages: the `%v` of Go.

use kubemerge_value::{Kind, Node, Scalar, deep};

/// Longer texts are cut: a message is for reading.
// Kubernetes prints whole objects into messages; a page of it is enough.
const MAX_TEXT_BYTES: usize = 4096;

/// The value as Go's `%v` prints it, cut to a readable length.
pub(crate) fn go_text(node: Node<'_>) -> String {
    let mut text = String::new();
    print(node, MAX_TEXT_BYTES, &mut text);
    cut(text)
}

/// The value as Go's `%s` prints it, cut to a readable length.
pub(crate) fn go_string(node: Node<'_>) -> String {
    cut(go_key(node))
}

/// The whole value as Go's `%v` prints it: upstream sorts by this text.
pub(crate) fn go_text_whole(node: Node<'_>) -> String {
    let mut text = String::new();
    print(node, usize::MAX, &mut text);
    text
}

/// A list of values as Go's `%v` prints it.
pub(crate) fn go_list(items: &[Node<'_>]) -> String {
    let mut text = String::new();
    print_list(items.iter().copied(), MAX_TEXT_BYTES, &mut text);
    cut(text)
}

/// The value as Go's `%s` prints it, which marks everything but strings with its type. Kubernetes' conflict test
/// tells list items apart by this text.
pub(crate) fn go_key(node: Node<'_>) -> String {
    let arena = kubemerge_value::Arena::new();
    match node.kind() {
        Kind::String => go_text_whole(node),
        // Go's %s of nil, brackets and all.
        Kind::Null => go_type(Kind::Null).to_owned(),
        Kind::Map => {
            let entries = node.sorted_entries();
            let entries =
                entries.iter().map(|entry| format!("{}:{}", entry.key, deep(|| go_key(entry.value))));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
        Kind::List => {
            let items = node.elements(&arena).iter().map(|item| deep(|| go_key(*item)));
            format!("[{}]", items.collect::<Vec<_>>().join(" "))
        }
        kind => format!("%!s({}={})", go_type(kind), go_text_whole(node)),
    }
}

/// The name of Go's type for values of this kind.
pub(crate) fn go_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "%!s(<nil>)",
        Kind::Bool => "bool",
        Kind::Int => "int64",
        Kind::Float => "float64",
        Kind::String => "string",
        Kind::List => "[]interface {}",
        Kind::Map => "map[string]interface {}",
    }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        // Never inside a character.
        let end = (0..=MAX_TEXT_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn print(node: Node<'_>, longest: usize, text: &mut String) {
    // A cut text need not be printed to its end.
    if text.len() > longest {
        return;
    }
    match node.kind() {
        Kind::Map => deep(|| print_map(node, longest, text)),
        Kind::List => {
            let arena = kubemerge_value::Arena::new();
            deep(|| print_list(node.elements(&arena).iter().copied(), longest, text));
        }
        _ => print_scalar(node.scalar().unwrap_or(Scalar::Null), text),
    }
}

fn print_map(node: Node<'_>, longest: usize, text: &mut String) {
    text.push_str("map[");
    for (at, entry) in node.sorted_entries().iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(&entry.key.text());
        text.push(':');
        print(entry.value, longest, text);
    }
    text.push(']');
}

fn print_list<'a>(items: impl Iterator<Item = Node<'a>>, longest: usize, text: &mut String) {
    text.push('[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            text.push(' ');
        }
        print(item, longest, text);
    }
    text.push(']');
}

fn print_scalar(scalar: Scalar<'_>, text: &mut String) {
    match scalar {
        Scalar::Null => text.push_str("<nil>"),
        Scalar::Bool(value) => text.push_str(if value { "true" } else { "false" }),
        Scalar::Int(int) => text.push_str(&int.to_string()),
        Scalar::Float(float) => text.push_str(&go_float(float)),
        Scalar::String(string) => text.push_str(&string.text()),
    }
}

/// A float in its shortest form, with an exponent of two digits below 1e-4 and from 1e21 on.
pub(crate) fn go_float(float: f64) -> String {
    let magnitude = float.abs();
    // Go's %v writes exponents outside these bounds, with two digits.
    if magnitude == 0.0 || (1e-4..1e21).contains(&magnitude) {
        return format!("{float}");
    }
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::Document;

    #[test]
    fn values_print_as_go_prints_them() {
        let document = Document::check(br#"{"b":[1,"x",null,true,{}],"a":2.5,"c":1e-7,"d":1e22}"#).unwrap();
        assert_eq!(go_text(document.node()), "map[a:2.5 b:[1 x <nil> true map[]] c:1e-07 d:1e+22]");
    }

    #[test]
    fn long_texts_are_cut() {
        let text = format!("[\"{}\"]", "é".repeat(MAX_TEXT_BYTES));
        let printed = go_text(Document::check(text.as_bytes()).unwrap().node());
        assert!(printed.len() <= MAX_TEXT_BYTES + 3 && printed.ends_with('…'));
    }
}
