//! Values that are still text, read one level at a time: the scan that [`Node`](crate::Node) is built on.

mod elements;
mod ends;
mod members;
mod seek;
mod value;

pub(crate) use elements::ElementScan;
pub(crate) use ends::{Ends, MIN_INDEXED_BYTES};
pub(crate) use members::{MemberName, MemberScan};
pub(crate) use seek::{Seeker, Sought};
pub(crate) use value::{Extent, Form, Resume, Text, string_of};
