//! Version skew: a patch that is made with one schema and applied with another.
//!
//! An older client knows fewer merge keys than the server, a newer one more; a patch means what the server
//! makes of it. [`skew`] shows both results and where they differ.

use crate::{
    MergeError, OnConflict, VersionNodes, apply,
    difference::{ValueDifference, differences},
    three_way,
};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node};

/// The result of a patch on a server that does not share the rules of the client.
#[derive(Clone, Debug)]
pub struct Skew<'a> {
    /// The patch that the client makes.
    pub patch: Node<'a>,
    /// What the client expects.
    pub expected: Node<'a>,
    /// What the server makes of it.
    pub result: Node<'a>,
    /// Where the two differ: `one` is what the client expects, `other` what the server has.
    pub differences: Vec<ValueDifference<'a>>,
}

/// Makes a three-way patch with the rules of the client, applies it with those of the server, and compares.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{VersionNodes, skew};
/// use kubemerge_value::{Arena, Document, Node};
///
/// let (old, new) = (Schema::builtin("1.37", Dialect::Upstream)?, Schema::builtin("1.37", Dialect::Spec)?);
/// let client = old.type_of("v1", "Service").ok_or("no services")?;
/// let server = new.type_of("v1", "Service").ok_or("no services")?;
/// let udp = Document::check(br#"{"spec": {"ports": [{"port": 53, "protocol": "UDP"}]}}"#)?;
/// let tcp = Document::check(br#"{"spec": {"ports": [{"port": 53, "protocol": "TCP"}]}}"#)?;
/// let versions = VersionNodes { original: udp.node(), modified: tcp.node(), current: udp.node() };
/// let arena = Arena::new();
/// let skew = skew(client, server, &versions, &arena)?;
/// // For the client it is one port that changes its protocol, for the server there are two now.
/// let paths: Vec<&str> = skew.differences.iter().map(|difference| difference.path.as_str()).collect();
/// assert_eq!(paths, ["spec.ports[0].protocol", "spec.ports[1]"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`three_way`] and [`apply`]; a server may refuse a patch that its client can apply.
pub fn skew<'a>(
    client: Type<'_>,
    server: Type<'_>,
    versions: &VersionNodes<'a>,
    arena: &'a Arena,
) -> Result<Skew<'a>, MergeError> {
    let VersionNodes { original, modified, current } = *versions;
    let patch = three_way(client, original, modified, current, OnConflict::Overwrite, arena)?;
    let expected = apply(client, current, patch, arena)?;
    let result = apply(server, current, patch, arena)?;
    let differences = differences(expected, result, arena);
    Ok(Skew { patch, expected, result, differences })
}
