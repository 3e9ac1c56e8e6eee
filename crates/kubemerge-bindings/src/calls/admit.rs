//! What the API server stores of an object.

use kubemerge::{Schema, admit, admit_update};
use kubemerge_inspect::{RefusalCause, refusal_of_new, refusal_of_update};
use serde::Serialize;

use crate::failure::Failure;
use crate::text::TextDocument;

/// The stored object, or why it is refused.
#[derive(Debug, Serialize)]
pub(crate) struct Admitted {
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    refusal: Vec<RefusalCause>,
}

pub(super) fn admitted(object: &str, old: Option<&str>, schema: &Schema) -> Result<Admitted, Failure> {
    let object = TextDocument::read("object", object)?;
    let old = old.map(|old| TextDocument::read("old", old)).transpose()?;
    let stored = match &old {
        None => admit(schema, object.json_text()),
        Some(old) => admit_update(schema, old.json_text(), object.json_text()),
    };
    match stored {
        Ok(stored) => Ok(Admitted { result: Some(object.alike(stored.as_bytes())?), refusal: Vec::new() }),
        Err(refusal) => {
            let causes = match &old {
                None => refusal_of_new(schema, &object.json),
                Some(old) => refusal_of_update(schema, &old.json, &object.json),
            };
            if causes.is_empty() {
                // Nothing that has rules, or a fault of both states: the words alone are left.
                Err(Failure::new("refused", refusal.to_string()).in_text("object"))
            } else {
                Ok(Admitted { result: None, refusal: causes })
            }
        }
    }
}
