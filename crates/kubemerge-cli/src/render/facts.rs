//! Writes facts as text for people, or as JSON or YAML for programs.

use kubemerge_yaml::{self as yaml, WriteOptions};
use serde::Serialize;

use crate::args::Format;

/// The facts in the wanted form; `text` writes the form for people.
pub(crate) fn facts<T: Serialize>(format: Format, facts: &T, text: impl FnOnce(&T) -> String) -> String {
    match format {
        Format::Text => text(facts),
        Format::Json => json(facts),
        Format::Yaml => {
            // Through JSON, so that both formats have the same names and order.
            let json = serde_json::to_vec(facts).expect("facts are plain data");
            yaml::write_json(&json, &WriteOptions::default()).expect("serde writes JSON")
        }
    }
}

fn json<T: Serialize>(facts: &T) -> String {
    let mut text = serde_json::to_string_pretty(facts).expect("facts are plain data");
    text.push('\n');
    text
}
