//! What a handler answers, before it becomes an HTTP response.

#[cfg(feature = "serve")]
use std::sync::Arc;
use std::{
    borrow::Cow,
    collections::HashSet,
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::Stream;
use http::{Extensions, HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use kubemerge_value::write::indented;
use kubemerge_yaml as yaml;
use serde_json::Value;

use crate::protocol::{
    media::{JSON, YAML},
    status::{Failure, status_text},
    written::{self, WrittenText},
};

/// How many characters all warnings may have before each is cut.
const MAX_WARNINGS_CHARS: usize = 4096;
/// How many characters of a warning are left when it is cut.
const MAX_CUT_WARNING_CHARS: usize = 256;

/// A stream of pieces of a body.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// The body of a response: complete bytes, or pieces that are written while it is sent or come as things happen.
pub struct Body(Content);

enum Content {
    Complete(Option<Bytes>),
    /// Complete, and taken slice by slice, with what is kept until it was sent.
    #[cfg(feature = "serve")]
    Held(Bytes, Arc<dyn Held>),
    Written(written::Pieces),
    Pieces(Pieces),
}

/// How much of a complete body a connection takes at once: what it has taken counts as progress.
#[cfg(feature = "serve")]
const SLICE_BYTES: usize = 64 * 1024;

impl Body {
    /// The bytes, if the body is complete.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match &self.0 {
            Content::Complete(bytes) => bytes.as_ref(),
            #[cfg(feature = "serve")]
            Content::Held(bytes, _) => Some(bytes),
            Content::Written(_) | Content::Pieces(_) => None,
        }
    }

    /// Keeps a value until all of the body was sent, or its reader is gone.
    #[cfg(feature = "serve")]
    pub(crate) fn holding(self, held: Arc<dyn Held>) -> Body {
        use futures_util::{StreamExt, stream};
        Body(match self.0 {
            Content::Complete(None) => Content::Complete(None),
            Content::Complete(Some(bytes)) | Content::Held(bytes, _) => {
                Content::Held(kept(bytes, &held), held)
            }
            Content::Written(mut pieces) => {
                let next = move || {
                    held.on_piece();
                    pieces.next().map(|bytes| kept(bytes, &held))
                };
                Content::Pieces(Box::pin(stream::iter(std::iter::from_fn(next))))
            }
            Content::Pieces(pieces) => Content::Pieces(Box::pin(pieces.inspect(move |_| held.on_piece()))),
        })
    }
}

/// What is kept while a body is sent.
#[cfg(feature = "serve")]
pub(crate) trait Held: Send + Sync + 'static {
    /// The connection takes a piece of the body.
    fn on_piece(&self) {}
}

#[cfg(feature = "serve")]
impl Held for tokio::sync::OwnedSemaphorePermit {}

/// Bytes that keep a value until the connection has written them.
#[cfg(feature = "serve")]
fn kept(bytes: Bytes, held: &Arc<dyn Held>) -> Bytes {
    struct Kept(Bytes, #[expect(dead_code, reason = "only its end matters")] Arc<dyn Held>);

    impl AsRef<[u8]> for Kept {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    Bytes::from_owner(Kept(bytes, held.clone()))
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Body(Content::Complete(Some(bytes).filter(|bytes| !bytes.is_empty())))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut self.0 {
            Content::Complete(bytes) => Poll::Ready(bytes.take()),
            #[cfg(feature = "serve")]
            Content::Held(bytes, held) => {
                held.on_piece();
                let slice = bytes.split_to(bytes.len().min(SLICE_BYTES));
                Poll::Ready(Some(slice).filter(|slice| !slice.is_empty()))
            }
            Content::Written(pieces) => Poll::Ready(pieces.next()),
            Content::Pieces(pieces) => pieces.as_mut().poll_next(cx),
        };
        piece.map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Complete(bytes) => bytes.is_none(),
            #[cfg(feature = "serve")]
            Content::Held(bytes, _) => bytes.is_empty(),
            Content::Written(_) | Content::Pieces(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Complete(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64)),
            #[cfg(feature = "serve")]
            Content::Held(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            Content::Written(_) | Content::Pieces(_) => SizeHint::default(),
        }
    }
}

/// An answer.
pub(crate) struct Reply {
    pub(crate) code: u16,
    content_type: Cow<'static, str>,
    content: Content,
    headers: Vec<(&'static str, String)>,
    /// What the transport needs besides the answer.
    extensions: Extensions,
}

impl Reply {
    /// JSON text with this code.
    pub(crate) fn json(code: u16, text: impl Into<Bytes>) -> Reply {
        Reply::bytes(code, JSON, text)
    }

    pub(crate) fn value(code: u16, value: &Value) -> Reply {
        Reply::json(code, value.to_string())
    }

    pub(crate) fn bytes(
        code: u16,
        content_type: impl Into<Cow<'static, str>>,
        bytes: impl Into<Bytes>,
    ) -> Reply {
        let content = Content::Complete(Some(bytes.into()).filter(|bytes| !bytes.is_empty()));
        Reply {
            code,
            content_type: content_type.into(),
            content,
            headers: Vec::new(),
            extensions: Extensions::new(),
        }
    }

    /// JSON text that is written while it is sent, unless it is small.
    pub(crate) fn written(text: impl WrittenText + 'static) -> Reply {
        match written::begin(text) {
            Ok(whole) => Reply::json(200, whole),
            Err(pieces) => Reply { content: Content::Written(pieces), ..Reply::json(200, "") },
        }
    }

    /// The same with its whole text, if it has one.
    pub(crate) fn whole(mut self) -> Reply {
        if let Content::Written(pieces) = self.content {
            self.content = Content::Complete(Some(pieces.collect()));
        }
        self
    }

    /// A body that comes in pieces.
    pub(crate) fn pieces(content_type: &'static str, pieces: Pieces) -> Reply {
        let content = Content::Pieces(pieces);
        Reply { content, ..Reply::bytes(200, content_type, "") }
    }

    /// A `Status`, byte for byte as Kubernetes writes it: some clients compare texts.
    pub(crate) fn status(code: u16, status: &Value) -> Reply {
        Reply::json(code, status_text(status))
    }

    pub(crate) fn failure(failure: &Failure) -> Reply {
        let reply = Reply::status(failure.code(), &failure.to_value());
        match failure.retry_after_seconds() {
            Some(seconds) => reply.header("retry-after", seconds.to_string()),
            None => reply,
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds something for the transport.
    #[cfg(feature = "serve")]
    pub(crate) fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Reply {
        self.extensions.insert(value);
        self
    }

    /// Warnings for the user, each once; when together they are too long, each is cut and the last are left out.
    pub(crate) fn warn(mut self, warnings: &[String]) -> Reply {
        // Kubernetes sends each warning once, in the order of its first appearance.
        let mut seen = HashSet::new();
        let once: Vec<&String> = warnings.iter().filter(|warning| seen.insert(*warning)).collect();
        let total: usize = once.iter().map(|warning| warning.chars().count()).sum();
        // Upstream: warnings are cut only if all together are too long for a header.
        let most = if total > MAX_WARNINGS_CHARS { MAX_CUT_WARNING_CHARS } else { usize::MAX };
        let mut written = 0;
        for warning in once.iter().take_while(|warning| {
            let fits = written < MAX_WARNINGS_CHARS;
            written += warning.chars().count().min(most);
            fits
        }) {
            self.headers.push(("warning", format!("299 - \"{}\"", escaped(warning, most))));
        }
        self
    }

    /// The same as YAML; bodies that are not JSON, or come in pieces, stay as they are.
    pub(crate) fn yaml(self) -> Reply {
        let mut reply = self.whole();
        let Content::Complete(Some(text)) = &reply.content else { return reply };
        if reply.content_type == JSON
            && let Ok(text) = yaml::write_json(text, &yaml::WriteOptions::default())
        {
            reply.content = Content::Complete(Some(text.into()));
            reply.content_type = YAML.into();
        }
        reply
    }

    /// JSON with indents, for people. The line feed at its end is left out, as Kubernetes does in this form.
    pub(crate) fn pretty(self) -> Reply {
        let mut reply = self.whole();
        let Content::Complete(Some(text)) = &reply.content else { return reply };
        if reply.content_type.starts_with(JSON) {
            reply.content = Content::Complete(Some(indented(text, 2).into()));
        }
        reply
    }

    /// The body as a tree, if it is complete and JSON.
    pub(crate) fn json_value(&self) -> Option<Value> {
        match &self.content {
            Content::Complete(Some(text)) if self.content_type.starts_with(JSON) => {
                serde_json::from_slice(text).ok()
            }
            _ => None,
        }
    }

    /// The same headers, another code and body.
    pub(crate) fn with_json(mut self, code: u16, body: &Value) -> Reply {
        self.code = code;
        self.content = Content::Complete(Some(body.to_string().into()));
        self
    }

    /// The same headers, no body.
    pub(crate) fn without_body(mut self) -> Reply {
        self.content = Content::Complete(None);
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body(self.content));
        *response.extensions_mut() = self.extensions;
        // Codes come from injected failures too, which may have any number.
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        let content_type = match self.content_type {
            Cow::Borrowed(text) => Ok(HeaderValue::from_static(text)),
            Cow::Owned(text) => HeaderValue::try_from(text),
        };
        if let Ok(value) = content_type
            && !value.is_empty()
        {
            headers.insert(header::CONTENT_TYPE, value);
        }
        for (name, value) in self.headers {
            // A value that no header can have is left out rather than failing the reply.
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                headers.append(name, value);
            }
        }
        response
    }
}

fn escaped(text: &str, most: usize) -> String {
    // Control characters are not allowed in a header.
    let shown = text.chars().filter(|c| !c.is_control()).take(most);
    shown.flat_map(|c| if c == '"' || c == '\\' { vec!['\\', c] } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_escaped_once_and_cut() {
        let reply = Reply::json(200, "{}").warn(&["a \"b\"".into(), "a \"b\"".into()]);
        assert_eq!(reply.headers, [("warning", "299 - \"a \\\"b\\\"\"".to_string())]);
        let long = Reply::json(200, "{}").warn(&["x".repeat(5000)]);
        assert_eq!(long.headers[0].1.len(), 256 + "299 - \"\"".len());
        let many: Vec<String> = (0..100_000).map(|at| format!("warning {at:>92}")).collect();
        assert_eq!(Reply::json(200, "{}").warn(&many).headers.len(), 41);
    }
}
