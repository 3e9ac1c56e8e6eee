//! The document of `/openapi/v2`, which takes a tenth of a second to make: kept for the catalog that it is of.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, header::IF_NONE_MATCH};
use sha2::{Digest, Sha512};

use crate::{
    catalog::Index,
    protocol::{media::JSON, reply::Reply},
};

const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// How the document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum V2Form {
    Json,
    Protobuf,
}

/// The documents that were asked for last.
#[derive(Default)]
pub(crate) struct V2Cache(Mutex<Vec<(V2Form, Arc<Index>, V2Document)>>);

/// A document with its tag.
#[derive(Clone)]
pub(super) struct V2Document {
    form: V2Form,
    bytes: Bytes,
    tag: String,
}

impl V2Cache {
    /// The document of a catalog, made if it is not known. Requests at the same time wait for one of them.
    pub(super) fn document(
        &self,
        index: Arc<Index>,
        form: V2Form,
        make: impl FnOnce(&Index) -> Bytes,
    ) -> V2Document {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(of, at, _): &&(V2Form, Arc<Index>, V2Document)| *of == form && Arc::ptr_eq(at, &index);
        if let Some((_, _, document)) = known.iter().find(is_it) {
            return document.clone();
        }
        let document = V2Document::new(form, make(&index));
        known.retain(|(of, _, _)| *of != form);
        known.push((form, index, document.clone()));
        document
    }
}

impl V2Document {
    fn new(form: V2Form, bytes: Bytes) -> V2Document {
        // Upstream: the digest of the document, in quotes.
        let mut tag = String::from("\"");
        for byte in Sha512::digest(&bytes) {
            // Writing to a text does not fail.
            _ = write!(tag, "{byte:02X}");
        }
        tag.push('"');
        V2Document { form, bytes, tag }
    }

    /// The document, or that the client has it.
    pub(super) fn reply(self, headers: &HeaderMap) -> Reply {
        let reply = match self.form {
            _ if self.is_known(headers) => Reply::bytes(304, "", ""),
            V2Form::Json => Reply::bytes(200, JSON, self.bytes),
            V2Form::Protobuf => Reply::bytes(200, PROTOBUF, self.bytes),
        };
        reply.header("etag", self.tag).header("vary", "Accept")
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let tags = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags = tags.flat_map(|tags| tags.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}
