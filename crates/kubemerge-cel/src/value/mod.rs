//! Values of expressions.
//!
//! Lists and maps are made by an expression or are views of an object (`containers`), which is read where an expression
//! asks for a part of it and never copied as a whole; `tree` has that of objects without a schema. `equal` compares for
//! `==`, `order` for `<`, `key` has the keys of maps, `show` the texts that values have in errors.

mod containers;
mod equal;
mod key;
mod order;
pub(crate) mod show;
mod tree;

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

pub use containers::{CelList, CelListView, CelMap, CelMapView, ListKind, Strictness};
pub(crate) use key::{Key, index_of};

pub use crate::library::{CelCidr, CelUrl, IpAddress, NamedFormat, QuantityOrigin, Semver};
use crate::timestamp::CelTimestamp;
use kubemerge_value::quantity::Quantity;

/// A value.
#[derive(Clone, Debug)]
pub enum CelValue<'v> {
    /// `null`
    Null,
    /// `true` and `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer without a sign.
    Uint(u64),
    /// A floating point number.
    Double(f64),
    /// A text.
    String(CelText<'v>),
    /// Bytes.
    Bytes(Rc<[u8]>),
    /// A point in time.
    Timestamp(CelTimestamp),
    /// A span of time in nanoseconds.
    Duration(i64),
    /// A list.
    List(CelList<'v>),
    /// A map.
    Map(CelMap<'v>),
    /// A value that may be absent.
    Optional(Option<Rc<CelValue<'v>>>),
    /// A type, by the name that it has at run time.
    Type(&'static str),
    /// `quantity('1Gi')`
    Quantity(Rc<Quantity<'static>>, QuantityOrigin),
    /// `ip('10.0.0.1')`
    Ip(IpAddress),
    /// `cidr('10.0.0.0/8')`
    Cidr(CelCidr),
    /// `url('https://example.com')`
    Url(Rc<CelUrl>),
    /// `semver('1.2.3')`
    Semver(Rc<Semver>),
    /// `format.dns1123Label()`
    Format(NamedFormat),
}

impl<'v> CelValue<'v> {
    /// A text of an expression's own.
    pub fn text(text: impl Into<Rc<str>>) -> CelValue<'v> {
        CelValue::String(CelText::Shared(text.into()))
    }

    /// A list of an expression's own.
    #[must_use]
    pub fn list(items: Vec<CelValue<'v>>) -> CelValue<'v> {
        CelValue::List(CelList::of(items))
    }

    /// An optional value.
    pub fn optional(value: Option<CelValue<'v>>) -> CelValue<'v> {
        CelValue::Optional(value.map(Rc::new))
    }

    /// The name of its type at run time.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            CelValue::Null => "null_type",
            CelValue::Bool(_) => "bool",
            CelValue::Int(_) => "int",
            CelValue::Uint(_) => "uint",
            CelValue::Double(_) => "double",
            CelValue::String(_) => "string",
            CelValue::Bytes(_) => "bytes",
            CelValue::Timestamp(_) => "google.protobuf.Timestamp",
            CelValue::Duration(_) => "google.protobuf.Duration",
            CelValue::List(_) => "list",
            CelValue::Map(_) => "map",
            CelValue::Optional(_) => "optional_type",
            CelValue::Type(_) => "type",
            CelValue::Quantity(..) => "kubernetes.Quantity",
            CelValue::Ip(_) => "net.IP",
            CelValue::Cidr(_) => "net.CIDR",
            CelValue::Url(_) => "kubernetes.URL",
            CelValue::Semver(_) => "kubernetes.Semver",
            CelValue::Format(_) => "kubernetes.NamedFormat",
        }
    }

    /// The size that costs are counted by: 1 for all that has none.
    pub(crate) fn size(&self) -> u64 {
        match self {
            CelValue::Optional(Some(value)) => value.size(),
            _ => self.length().unwrap_or(1),
        }
    }

    /// Its length, if it has one.
    pub(crate) fn length(&self) -> Option<u64> {
        Some(match self {
            CelValue::String(text) => text.chars().count() as u64,
            CelValue::Bytes(bytes) => bytes.len() as u64,
            CelValue::List(list) => list.len() as u64,
            CelValue::Map(map) => map.len() as u64,
            CelValue::Ip(ip) => ip.byte_length(),
            CelValue::Cidr(cidr) => cidr.byte_length(),
            _ => return None,
        })
    }
}

/// A text: a part of an object, or made by an expression.
#[derive(Clone)]
pub enum CelText<'v> {
    /// A part of an object.
    Borrowed(&'v str),
    /// Made by an expression.
    Shared(Rc<str>),
}

impl Deref for CelText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            CelText::Borrowed(text) => text,
            CelText::Shared(text) => text,
        }
    }
}

impl fmt::Debug for CelText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
