//! What a [`Node`] is: a small `Copy` view with one variant for each source.

use super::{built::Built, edited::Edited, scalar::Scalar};
use crate::{string::Str, text::Text};
use serde_json::Value;

/// A lazy JSON value.
#[derive(Clone, Copy)]
pub struct Node<'a>(pub(crate) Repr<'a>);

#[derive(Clone, Copy)]
pub(crate) enum Repr<'a> {
    Text(Text<'a>),
    Value(&'a Value),
    Map(&'a Built<'a>),
    List(&'a Built<'a>),
    Scalar(Scalar<'a>),
    Edited(Edited<'a>),
}

/// A member of a map.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The name.
    pub key: Str<'a>,
    /// The value.
    pub value: Node<'a>,
}
