//! YAML as kubectl reads and writes it.
//!
//! Kubernetes reads YAML 1.1 with Go's `sigs.k8s.io/yaml`: `yes` is a boolean, `0644` is 420, `<<` merges.
//! This crate reads the same texts to the same JSON, keeps the place of every key and value, and writes
//! YAML that kubectl reads back to the same value.
//!
//! For programs that must read manifests as `kubectl apply` does, report where in a file something is wrong, or
//! change a file without losing its comments and layout. [`documents`] splits a text at `---`,
//! [`YamlDocument::to_json`] gives the value, [`YamlDocument::locate`] the line and column of a field.
//! Documents may be nested 10,000 levels deep (1,000 in WebAssembly); aliases may not expand without limit.
//!
//! ```
//! use kubemerge_yaml as yaml;
//!
//! let text = "mode: 0644\nenabled: yes\n";
//! let documents = yaml::parse(text.as_bytes(), &yaml::Options::default())?;
//! assert_eq!(documents[0].to_json()?, br#"{"mode":420,"enabled":true}"#);
//! assert_eq!(documents[0].locate("enabled").unwrap().value.position().line, 2);
//! # Ok::<(), yaml::YamlError>(())
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
#![forbid(unsafe_code)]
#![warn(clippy::must_use_candidate)]

mod binary;
mod block;
mod build;
mod edit;
mod emit;
mod error;
mod events;
mod expand;
mod json_text;
mod locate;
mod number;
mod options;
mod resolve;
mod stream;
mod timestamp;
mod trap;
mod tree;
mod utf8;

use kubemerge_value::{Node, to_bytes};

pub use edit::{DocumentEdits, Edit, KeptLayout, apply_edits};
pub use emit::{KeyOrder, WriteOptions, is_plain};
pub use error::{Position, YamlError, YamlErrorKind};
pub use locate::YamlLocation;
pub use options::{DuplicateKeys, Options};
pub use stream::Documents;
pub use trap::{Role, Trap, TrapKind};
pub use tree::{Place, Style, YamlDocument};

/// Reads all documents of a text. Documents without a value (empty, or only comments) are left out.
pub fn parse<'t>(bytes: &'t [u8], options: &Options) -> Result<Vec<YamlDocument<'t>>, YamlError> {
    documents(bytes, options)?.collect()
}

/// Reads the documents of a text one by one, so that only one tree need be in memory.
pub fn documents<'t>(bytes: &'t [u8], options: &Options) -> Result<Documents<'t>, YamlError> {
    Ok(Documents::new(utf8::short_text(bytes)?, *options))
}

/// Writes a value as YAML.
///
/// ```
/// use kubemerge_value::Document;
/// use kubemerge_yaml as yaml;
///
/// let document = Document::check(br#"{"country":"NO","ports":[80]}"#)?;
/// let text = yaml::write(document.node(), &yaml::WriteOptions::default());
/// assert_eq!(text, "country: \"NO\"\nports:\n- 80\n");
/// # Ok::<(), kubemerge_value::ParseError>(())
/// ```
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a node is a JSON text of any depth, and nothing else is refused"
)]
#[must_use]
pub fn write(node: Node<'_>, options: &WriteOptions) -> String {
    write_json(&to_bytes(node), options).expect("a node writes JSON")
}

/// Writes a JSON text as YAML.
///
/// Fails if the text is not JSON.
pub fn write_json(json: &[u8], options: &WriteOptions) -> Result<String, YamlError> {
    let document = json_text::read_value(json)?;
    let emitter = emit::Emitter::new(&document, options.key_order, emit::KUBERNETES);
    Ok(emitter.root(document.root().id))
}
