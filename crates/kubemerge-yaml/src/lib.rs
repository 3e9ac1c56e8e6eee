//! YAML as kubectl reads and writes it.
//!
//! Kubernetes reads YAML 1.1 with Go's `sigs.k8s.io/yaml`: `yes` is a boolean, `0644` is 420, `<<` merges.
//! This crate reads the same texts to the same JSON, keeps the place of every key and value, and writes
//! YAML that kubectl reads back to the same value.
//!
//! The way in: [`documents`] splits a text at `---` (`stream`), each document is read from parser events
//! (`events`) or as JSON (`json_text`), scalars get their type (`resolve`), the tree is built and checked
//! (`build`), and [`Document::to_json`] expands aliases and merges (`expand`). The rest of kubemerge sees
//! that JSON; errors find their way back to the text with [`Document::locate`].
//!
//! ```
//! use kubemerge_yaml as yaml;
//!
//! let text = "mode: 0644\nenabled: yes\n";
//! let documents = yaml::parse(text.as_bytes(), &yaml::Options::default())?;
//! assert_eq!(documents[0].to_json()?, br#"{"mode":420,"enabled":true}"#);
//! assert_eq!(documents[0].locate("enabled").unwrap().value.position().line, 2);
//! # Ok::<(), yaml::Error>(())
//! ```

mod binary;
mod build;
mod edit;
mod emit;
mod error;
mod events;
mod expand;
mod json_text;
mod locate;
mod number;
mod resolve;
mod stream;
mod timestamp;
mod trap;
mod tree;

use kubemerge_value::{MAX_DEPTH, Node, to_bytes};

pub use edit::{Edit, apply_edits};
pub use emit::{KeyOrder, WriteOptions};
pub use error::{Error, ErrorKind, Position};
pub use locate::Location;
pub use stream::Documents;
pub use trap::{Role, Trap, TrapKind};
pub use tree::{Document, Place, Style};

/// The longest text whose places fit the tree.
const MAX_LENGTH: usize = u32::MAX as usize - 1;

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What to do about a key that stands twice in one map.
    pub duplicate_keys: DuplicateKeys,
    /// The most keys and values a document may have.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { duplicate_keys: DuplicateKeys::Error, max_nodes: 10_000_000 }
    }
}

/// What to do about a key that stands twice in one map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// Refuse it and show both places.
    #[default]
    Error,
    /// The last one counts, as in Go.
    LastWins,
}

/// Reads all documents of a text. Documents without a value (empty, or only comments) are left out.
pub fn parse<'t>(bytes: &'t [u8], options: &Options) -> Result<Vec<Document<'t>>, Error> {
    documents(bytes, options)?.collect()
}

/// Reads the documents of a text one by one, so that only one tree need be in memory.
pub fn documents<'t>(bytes: &'t [u8], options: &Options) -> Result<Documents<'t>, Error> {
    let text = as_text(bytes)?;
    if text.len() > MAX_LENGTH {
        let start = Position { offset: 0, line: 1, column: 1 };
        return Err(Error::new(ErrorKind::Limit, start, "the text is longer than 4 GiB"));
    }
    Ok(Documents::new(text, *options))
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
pub fn write(node: Node<'_>, options: &WriteOptions) -> String {
    write_json(&to_bytes(node), options).expect("a node writes JSON")
}

/// Writes a JSON text as YAML.
///
/// Fails if the text is not JSON.
pub fn write_json(json: &[u8], options: &WriteOptions) -> Result<String, Error> {
    let document = json_text::read_value(json)?;
    let emitter = emit::Emitter::new(&document, options.key_order, emit::KUBERNETES);
    Ok(emitter.root(document.root().id))
}

fn as_text(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|fault| not_utf8(bytes, fault.valid_up_to()))
}

fn not_utf8(bytes: &[u8], valid: usize) -> Error {
    let before = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let position = Position::of(before, valid);
    let message = match bytes.first_chunk() {
        Some([0xff, 0xfe] | [0xfe, 0xff]) => "the text is UTF-16, not UTF-8",
        _ if bytes.contains(&0) => "not a text: it looks like a binary file",
        _ => "invalid UTF-8",
    };
    Error::new(ErrorKind::NotUtf8, position, message)
}
