//! Reads one YAML document: the parser's events become items.
//!
//! The parser tells where a block collection's first child starts and where a block scalar's text starts;
//! the dash and the `|` before them are found by looking at the gap between two tokens.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use super::binary;
use super::build::{Builder, Extent};
use super::error::{YamlError, YamlErrorKind};
use super::options::Options;
use super::resolve::{Resolved, ScalarTag, resolve, resolve_tagged};
use super::trap::Role;
use super::tree::{ItemId, Mark, Source, Style, Value, YamlDocument};
use kubemerge_value::MAX_DEPTH;
use kubemerge_value::part::{part_of, text_of};

/// Parses `text[range]`, which holds at most one document; `None` if it holds no value.
pub(crate) fn read_document(
    text: &str,
    range: std::ops::Range<usize>,
    options: Options,
) -> Result<Option<YamlDocument<'_>>, YamlError> {
    let builder = Builder::new(text, range.clone(), Source::Yaml, options);
    let mut reader =
        EventReader { text, base: range.start, cursor: range.start, anchors: Vec::new(), last: 0, builder };
    let limits = granit_parser::options! {
        emit_anchor_events: true,
        emit_comments: false,
        // One more than our limit, so that our own message is the one users see.
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    let mut seen_end = false;
    for event in Parser::new_from_str_with_options(text_of(text, range), limits) {
        let (event, span) = event.map_err(|error| reader.syntax_error(&error))?;
        match event {
            // `...` ends a document inside a segment; kubectl drops the rest, which no user intends.
            Event::DocumentStart(..) if seen_end => return Err(reader.second_document(&span)),
            Event::DocumentEnd => seen_end = true,
            event => reader.event(event, &span)?,
        }
    }
    let document = reader.builder.finish();
    Ok((!is_vacant(&document)).then_some(document))
}

/// Nothing but white space and comments.
fn is_vacant(document: &YamlDocument<'_>) -> bool {
    document.items.first().is_none_or(|root| {
        // A segment of comments only; `~` or a tag is a document.
        root.value == Value::Null && root.start == root.end && root.mark == Mark::default()
    })
}

struct EventReader<'t> {
    text: &'t str,
    /// Where the parsed slice starts in the text.
    base: usize,
    /// After the last token.
    cursor: usize,
    /// Items by anchor number.
    anchors: Vec<ItemId>,
    /// The item made last, to which an anchor event belongs.
    last: ItemId,
    builder: Builder<'t>,
}

impl<'t> EventReader<'t> {
    fn event(&mut self, event: Event<'t>, span: &Span) -> Result<(), YamlError> {
        match event {
            // yaml.v2 refuses every other version, 1.2 too.
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                let error = self.builder.error(
                    YamlErrorKind::Stream,
                    self.range(span).start,
                    "incompatible %YAML directive",
                );
                return Err(error.with_hint("Kubernetes reads YAML 1.1; remove the line"));
            }
            Event::Scalar(value, style, _, tag) => self.scalar(value, style, tag.as_deref(), span)?,
            Event::SequenceStart(style, _, tag) => self.open(Value::List, style, tag.is_some(), span)?,
            Event::MappingStart(style, _, tag) => self.open(Value::Map, style, tag.is_some(), span)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
            Event::Alias(anchor) => self.alias(anchor, span)?,
            Event::Anchor(anchor, name) => self.anchor(anchor, &name, span)?,
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), YamlError> {
        // The cursor must be after the dash, or the search for an indicator would find it.
        self.pass_dash();
        let extent = self.scalar_extent(style, span);
        // The parser accepts more escapes than yaml.v2.
        if style == ScalarStyle::DoubleQuoted {
            self.check_escapes(&extent)?;
        }
        let tag = tag.map(|tag| ScalarTag::from_name(&format!("{}{}", tag.handle(), tag.suffix())));
        let plain = style == ScalarStyle::Plain;
        let role = self.builder.role();
        let resolved = match tag {
            // `key:` without a value.
            None if plain && extent.start == extent.end => Resolved::Null,
            None if plain => resolve(&text),
            // Quoted and block scalars are strings, whatever they look like.
            None => Resolved::String,
            Some(tag) => resolve_tagged(tag, &text)
                .map_err(|reason| self.builder.error(YamlErrorKind::Value, extent.start, reason))?,
        };
        let merge = role == Role::Key
            && (resolved == Resolved::Merge || (tag == Some(ScalarTag::Merge) && text == "<<"));
        let mark = Mark { merge, tag: tag.is_some(), ..Mark::default() };
        // A tag or quotes say what the user means.
        let trap_text = (plain && tag.is_none() && resolved != Resolved::String).then(|| text.clone());
        let value = self.value(resolved, text, tag, &extent)?;
        self.last = self.builder.scalar(value, item_style(style), extent, mark)?;
        if let Some(text) = trap_text {
            self.builder.note_trap(&text, resolved, role);
        }
        Ok(())
    }

    fn value(
        &self,
        resolved: Resolved,
        text: Cow<'t, str>,
        tag: Option<ScalarTag>,
        extent: &Extent,
    ) -> Result<Value<'t>, YamlError> {
        Ok(match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Int(value) => Value::Int(value),
            Resolved::UInt(value) => Value::UInt(value),
            Resolved::Float(value) => Value::Float(value),
            Resolved::String if tag == Some(ScalarTag::Binary) => {
                let decoded = binary::decode(&text).ok_or_else(|| {
                    self.builder.error(
                        YamlErrorKind::Value,
                        extent.start,
                        "!!binary value is not valid base64",
                    )
                })?;
                Value::String(Cow::Owned(decoded))
            }
            Resolved::Timestamp | Resolved::Merge | Resolved::String => Value::String(text),
        })
    }

    fn scalar_extent(&mut self, style: ScalarStyle, span: &Span) -> Extent {
        let mut range = self.range(span);
        let mut cursor = range.end;
        // The parser reports the content; edits need the `|` or `>` as well.
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            cursor = cursor.max(self.cursor);
            range = self.block_scalar_range(range.end);
        }
        if range.is_empty() {
            range = self.left_out(range.start);
            cursor = range.end;
        }
        self.cursor = self.cursor.max(cursor);
        Extent { outer: self.outer(span, range.start), start: range.start, end: range.end }
    }

    /// YAML 1.1 knows fewer escapes than JSON.
    fn check_escapes(&self, extent: &Extent) -> Result<(), YamlError> {
        let mut rest = text_of(self.text, extent.start..extent.end);
        while let Some((_, escape)) = rest.split_once('\\') {
            let message = match escape.as_bytes() {
                [b'/', ..] => "found unknown escape character `\\/`",
                [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..] => {
                    "found invalid Unicode character escape code: half of a surrogate pair"
                }
                _ => {
                    let mut after = escape.chars();
                    after.next();
                    rest = after.as_str();
                    continue;
                }
            };
            let offset = extent.end - escape.len() - 1;
            let error = self.builder.error(YamlErrorKind::Syntax, offset, message);
            return Err(error.with_hint("write the character itself"));
        }
        Ok(())
    }

    /// Where a value that was left out would be: after the colon or dash.
    fn left_out(&self, reported: usize) -> std::ops::Range<usize> {
        let gap = text_of(self.text, self.cursor..);
        let after = gap.trim_start_matches([' ', '\t', '\r', '\n']);
        let blank = gap.len() - after.len();
        let colon = self.builder.role() == Role::Value && after.starts_with(':');
        let place = if colon { self.cursor + blank + 1 } else { self.cursor };
        let place = place.max(reported);
        place..place
    }

    /// From the `|` or `>` to the last line of text; blank lines after it count only if they are kept.
    fn block_scalar_range(&self, end: usize) -> std::ops::Range<usize> {
        let start = find_indicator(self.text, self.cursor, b"|>").unwrap_or(self.cursor);
        let content = text_of(self.text, start..end.max(start));
        let header = content.lines().next().unwrap_or("");
        // `+` keeps trailing line breaks, which are then part of the value.
        let keeps = header.split('#').next().is_some_and(|indicators| indicators.contains('+'));
        let content = if keeps {
            content
                .strip_suffix('\n')
                .map_or(content, |content| content.strip_suffix('\r').unwrap_or(content))
        } else {
            content.trim_end_matches([' ', '\t', '\r', '\n'])
        };
        start..start + content.len()
    }

    fn open(
        &mut self,
        value: Value<'t>,
        style: StructureStyle,
        tagged: bool,
        span: &Span,
    ) -> Result<(), YamlError> {
        self.pass_dash();
        let range = self.range(span);
        let mut start = range.start;
        let style = match style {
            StructureStyle::Flow => Style::Flow,
            StructureStyle::Block => Style::Block,
        };
        if style == Style::Block {
            self.check_indentation(start)?;
        }
        // The parser reports the first element; the list starts at its dash.
        if style == Style::Block && value == Value::List {
            start = find_indicator(self.text, self.cursor, b"-").unwrap_or(start);
            self.cursor = self.text.len().min(start + 1);
        } else if style == Style::Flow {
            self.cursor = self.cursor.max(range.end);
        }
        let extent = Extent { outer: self.outer(span, start), start, end: range.end.max(start) };
        let mark = Mark { tag: tagged, ..Mark::default() };
        self.last = self.builder.open(value, style, extent, mark)?;
        Ok(())
    }

    fn check_indentation(&self, start: usize) -> Result<(), YamlError> {
        let before = text_of(self.text, ..start);
        let line = before.trim_end_matches([' ', '\t']);
        let blank = line.len();
        // Tabs after a dash or inside a line are allowed.
        if !text_of(before, blank..).contains('\t') || !(line.is_empty() || line.ends_with('\n')) {
            return Ok(());
        }
        let error = self.builder.error(YamlErrorKind::Syntax, blank, "found a tab in the indentation");
        Err(error.with_hint("indent with spaces"))
    }

    fn close(&mut self, span: &Span) -> Result<(), YamlError> {
        let is_flow = self.builder.parent().is_some_and(|(item, _)| item.style == Style::Flow);
        let range = self.range(span);
        // A map such as `[a: b]` has no braces of its own and ends with its last value.
        let flow_end = (is_flow && !range.is_empty()).then_some(range.end);
        if is_flow {
            self.cursor = self.cursor.max(range.end);
        }
        self.builder.close(flow_end)
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<(), YamlError> {
        self.pass_dash();
        let range = self.range(span);
        self.cursor = range.end;
        // Unknown anchors are refused by the parser.
        let target = self.anchors.get(anchor).copied().unwrap_or_default();
        self.builder.alias(target, range.into())?;
        Ok(())
    }

    fn anchor(&mut self, anchor: usize, name: &str, span: &Span) -> Result<(), YamlError> {
        let start = self.range(span).start;
        // yaml.v2 allows fewer characters in anchors than the parser.
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            let message = format!("anchor `{name}` has other characters than letters, digits, `_` and `-`");
            return Err(self.builder.error(YamlErrorKind::Alias, start, message));
        }
        if let Some(known) = self.anchors.get_mut(anchor) {
            *known = self.last;
        } else {
            self.anchors.resize(anchor, 0);
            self.anchors.push(self.last);
        }
        self.builder.anchor(self.last, start);
        Ok(())
    }

    /// Moves after the dash of the next element; the first one was passed when its list was opened.
    fn pass_dash(&mut self) {
        if let Some((parent, children)) = self.builder.parent()
            && parent.value == Value::List
            && parent.style == Style::Block
            && children > 0
        {
            self.cursor = find_indicator(self.text, self.cursor, b"-").map_or(self.cursor, |dash| dash + 1);
        }
    }

    fn range(&self, span: &Span) -> std::ops::Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        self.base + range.start..self.base + range.end
    }

    fn outer(&self, span: &Span, start: usize) -> usize {
        let tag = span.tag_span().and_then(|tag| tag.byte_range());
        tag.map_or(start, |tag| start.min(self.base + tag.start))
    }

    fn second_document(&self, span: &Span) -> YamlError {
        let offset = self.range(span).start;
        self.builder
            .error(YamlErrorKind::Stream, offset, "kubectl ignores what follows `...`")
            .with_hint("separate documents with `---`")
    }

    fn syntax_error(&self, error: &ScanError) -> YamlError {
        use granit_parser::ErrorKind as Cause;
        let offset = self.base + error.marker().byte_offset().unwrap_or_default();
        let (kind, hint) = match error.kind() {
            Cause::RecursionLimitExceeded => (YamlErrorKind::Limit, None),
            Cause::UnknownAnchor => (YamlErrorKind::Alias, Some("define the anchor before its first use")),
            Cause::TabNotAllowed | Cause::TabInBlockIndentation => {
                (YamlErrorKind::Syntax, Some("indent with spaces"))
            }
            Cause::MappingValueNotAllowed => {
                (YamlErrorKind::Syntax, Some("check the indentation, or quote a value that holds `: `"))
            }
            Cause::UnexpectedCharacter { .. } => (YamlErrorKind::Syntax, Some("quote the value")),
            _ => (YamlErrorKind::Syntax, None),
        };
        let error = self.builder.error(kind, offset, error.info());
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

fn item_style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::BlockScalar,
    }
}

/// The first of the wanted indicators at or after `from`, past comments, anchors and tags.
pub(crate) fn find_indicator(text: &str, from: usize, wanted: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            byte if wanted.contains(byte) => return Some(at),
            b'#' => skip_to(bytes, at, |byte| matches!(byte, b'\r' | b'\n')),
            // A tag or anchor before the value may contain the indicator.
            b'!' | b'&' => skip_to(bytes, at, u8::is_ascii_whitespace),
            _ => at + 1,
        };
    }
    None
}

fn skip_to(bytes: &[u8], from: usize, is_end: impl Fn(&u8) -> bool) -> usize {
    part_of(bytes, from..).iter().position(is_end).map_or(bytes.len(), |length| from + length)
}
