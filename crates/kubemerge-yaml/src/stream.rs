//! Splits a text into documents at `---` lines, as kubectl does before it parses anything.

use std::collections::VecDeque;
use std::ops::Range;

use kubemerge_value::part::text_of;

use super::error::{Position, YamlError, YamlErrorKind};
use super::tree::YamlDocument;
use super::{block, events, json_text, options::Options};

/// Reads the documents of a text one after the other; those without a value are passed over.
///
/// After an error the iterator goes on with the next document.
#[derive(Debug)]
pub struct Documents<'t> {
    text: &'t str,
    /// Where the next segment starts; `None` at the end.
    next: Option<usize>,
    ready: VecDeque<YamlDocument<'t>>,
    options: Options,
}

impl<'t> Documents<'t> {
    pub(crate) fn new(text: &'t str, options: Options) -> Documents<'t> {
        Documents { text, next: Some(0), ready: VecDeque::new(), options }
    }

    /// The text up to the next separator, which is passed.
    fn next_segment(&mut self) -> Option<Result<Range<usize>, YamlError>> {
        let start = self.next?;
        let mut from = start;
        loop {
            let Some(line) = find_separator(self.text, from) else {
                self.next = None;
                return Some(Ok(start..self.text.len()));
            };
            // A separator at the very end starts no document.
            self.next = (line.end < self.text.len()).then_some(line.end);
            if let Err(error) = check_separator(self.text, &line) {
                return Some(Err(error));
            }
            // `%TAG` and `%YAML` lines belong to the document after the separator.
            if !is_prologue(text_of(self.text, start..line.start)) {
                return Some(Ok(start..line.start));
            }
            from = line.end;
        }
    }
}

impl<'t> Iterator for Documents<'t> {
    type Item = Result<YamlDocument<'t>, YamlError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(document) = self.ready.pop_front() {
                return Some(Ok(document));
            }
            let segment = self.next_segment()?;
            match segment.and_then(|segment| read_segment(self.text, segment, self.options)) {
                Ok(documents) => {
                    let aliased: usize = documents.iter().map(|document| document.aliased).sum();
                    // The limit is about the whole text: every document could reach it.
                    self.options.max_aliased_bytes = self.options.max_aliased_bytes.saturating_sub(aliased);
                    self.ready.extend(documents);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Reads the text between two separators: JSON values, or at most one YAML document.
pub(crate) fn read_segment(
    text: &str,
    segment: Range<usize>,
    options: Options,
) -> Result<Vec<YamlDocument<'_>>, YamlError> {
    // JSON first: it is faster, and kubectl splits several JSON values without separators.
    match json_text::read_documents(text, segment.clone(), options) {
        Some(documents) => documents,
        None => Ok(read_yaml(text, segment, options)?.into_iter().collect()),
    }
}

fn read_yaml(
    text: &str,
    segment: Range<usize>,
    options: Options,
) -> Result<Option<YamlDocument<'_>>, YamlError> {
    // The fast reader takes what most manifests are; the parser knows all of YAML, and every error.
    match block::read_document(text, segment.clone(), options) {
        Some(document) => Ok(Some(document)),
        None => events::read_document(text, segment, options),
    }
}

/// The next line that starts with `---`, its line break included.
fn find_separator(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text_of(text, from..);
    // Only at the start of a line; inside a block scalar too, which is how kubectl splits.
    let start = if rest.starts_with("---") { from } else { from + rest.find("\n---")? + 1 };
    let end = text_of(text, start..).find('\n').map_or(text.len(), |newline| start + newline + 1);
    Some(start..end)
}

fn check_separator(text: &str, line: &Range<usize>) -> Result<(), YamlError> {
    let rest = text_of(text, line.start + 3..line.end).trim();
    // kubectl refuses content on the separator line.
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(());
    }
    let message = format!("invalid Yaml document separator: {rest}");
    let error = YamlError::new(YamlErrorKind::Stream, Position::of(text, line.start), message);
    Err(error.with_hint("put the document on the line after `---`"))
}

fn is_prologue(segment: &str) -> bool {
    let mut directives = false;
    for line in segment.lines() {
        directives |= line.starts_with('%');
        if !line.starts_with('%') && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            return false;
        }
    }
    directives
}
