//! Reads JSON as JSON: a text that starts with `{` is what kubectl first takes for JSON.
//!
//! JSON is nearly YAML, but YAML 1.1 refuses escapes such as `\/` and surrogate pairs. A text that is not
//! JSON after all is left to the YAML reader.

use std::ops::Range;

use super::build::Builder;
use super::error::{Position, YamlError, YamlErrorKind};
use super::options::{DuplicateKeys, Options};
use super::tree::{Mark, Source, Style, Value, YamlDocument};
use kubemerge_value::part::{part_of, text_of};
use kubemerge_value::{Arena, Level, PullReader, Start, Str};

/// Reads the JSON values of `text[range]`; `None` if it is not one or more JSON objects.
pub(crate) fn read_documents(
    text: &str,
    range: Range<usize>,
    options: Options,
) -> Option<Result<Vec<YamlDocument<'_>>, YamlError>> {
    let (mut documents, arena) = (Vec::new(), Arena::new());
    let mut at = skip_blank(text, range.start, range.end);
    while at < range.end {
        // kubectl takes a text for JSON only if it starts with a brace.
        if text.as_bytes().get(at) != Some(&b'{') {
            return None;
        }
        // The text before the first document belongs to it, so that edits cover the whole segment.
        let share = if documents.is_empty() { range.start } else { at };
        let builder = Builder::new(text, share..range.end, Source::Json, options);
        let mut reader = JsonTextReader::new(text, at..range.end, builder, &arena);
        match reader.document() {
            Ok(()) => {}
            // Flow style with comments or unquoted keys is YAML.
            Err(JsonFault::NotJson) => return None,
            Err(JsonFault::Refused(error)) => return Some(Err(error)),
        }
        at = reader.json.here();
        let mut document = reader.builder.finish();
        document.range.end = at;
        documents.push(document);
        at = skip_blank(text, at, range.end);
    }
    if let Some(last) = documents.last_mut() {
        last.range.end = range.end;
    }
    (!documents.is_empty()).then_some(Ok(documents))
}

/// Reads a JSON text of any kind; of a repeated key the last one counts.
pub(crate) fn read_value(bytes: &[u8]) -> Result<YamlDocument<'_>, YamlError> {
    let text = crate::utf8::as_text(bytes)?;
    // The text was checked or written by kubemerge.
    let options =
        Options { duplicate_keys: DuplicateKeys::LastWins, max_nodes: usize::MAX, ..Options::default() };
    let builder = Builder::new(text, 0..text.len(), Source::Json, options).with_max_depth(usize::MAX);
    let arena = Arena::new();
    let mut reader = JsonTextReader::new(text, 0..text.len(), builder, &arena);
    let outcome = reader.document();
    let end = reader.json.here();
    match outcome {
        Ok(()) if skip_blank(text, end, text.len()) == text.len() => Ok(reader.builder.finish()),
        Ok(()) | Err(JsonFault::NotJson) => {
            let at = reader.json.fault().map_or(end, |fault| fault.at);
            Err(YamlError::new(YamlErrorKind::Syntax, Position::of(text, at), "not a JSON text"))
        }
        Err(JsonFault::Refused(error)) => Err(error),
    }
}

fn skip_blank(text: &str, from: usize, end: usize) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    from + part_of(text.as_bytes(), from..end).iter().take_while(|byte| blank(byte)).count()
}

/// Why reading stopped.
enum JsonFault {
    NotJson,
    Refused(YamlError),
}

impl From<YamlError> for JsonFault {
    fn from(error: YamlError) -> JsonFault {
        JsonFault::Refused(error)
    }
}

struct JsonTextReader<'t, 'a> {
    text: &'t str,
    json: PullReader<'a>,
    open: Vec<Open<'a>>,
    builder: Builder<'t>,
}

/// A collection that is being read.
enum Open<'a> {
    Map(Level<'a>),
    List(Level<'a>),
}

impl<'t: 'a, 'a> JsonTextReader<'t, 'a> {
    /// A reader of a part of a text, up to which it is passed over.
    fn new(text: &'t str, part: Range<usize>, builder: Builder<'t>, arena: &'a Arena) -> Self {
        let mut json = PullReader::new(text_of(text, ..part.end), arena);
        json.pass_known(part.start);
        JsonTextReader { text, json, open: Vec::new(), builder }
    }

    /// Reads one value.
    fn document(&mut self) -> Result<(), JsonFault> {
        self.value()?;
        while let Some(open) = self.open.last_mut() {
            let name = match open {
                Open::Map(map) => self.json.name_place(map).map(Some),
                Open::List(list) => self.json.item(list).then_some(None),
            };
            self.check()?;
            if let Some(name) = name {
                name.map_or(Ok(()), |name| self.string(name))?;
                self.value()?;
            } else {
                self.open.pop();
                self.builder.close(Some(self.json.here()))?;
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<(), JsonFault> {
        let first = self.json.start();
        self.check()?;
        let start = self.json.here();
        match first {
            Start::Map | Start::List => return self.open(first, start),
            // Numbers keep their text: JSON is not rounded on the way through.
            Start::Number => _ = self.json.number_literal(),
            _ => _ = self.json.pass(),
        }
        self.check()?;
        let place = start..self.json.here();
        let value = match first {
            Start::Str => return self.string(place),
            Start::Number => Value::Literal(text_of(self.text, place.clone())),
            Start::True => Value::Bool(true),
            Start::False => Value::Bool(false),
            _ => Value::Null,
        };
        self.builder.scalar(value, Style::Plain, place.into(), Mark::default())?;
        Ok(())
    }

    fn open(&mut self, first: Start, at: usize) -> Result<(), JsonFault> {
        let value = if first == Start::Map { Value::Map } else { Value::List };
        // First, since it names the limits.
        self.builder.open(value, Style::Flow, (at..at + 1).into(), Mark::default())?;
        self.open.push(match first {
            Start::Map => Open::Map(self.json.open_map()),
            _ => Open::List(self.json.open_list()),
        });
        self.check()
    }

    /// A string in its quotes.
    fn string(&mut self, place: Range<usize>) -> Result<(), JsonFault> {
        let raw = part_of(self.text.as_bytes(), place.start + 1..place.end - 1);
        let value = Value::String(Str::given(raw).text());
        self.builder.scalar(value, Style::Quoted, place.into(), Mark::default())?;
        Ok(())
    }

    fn check(&self) -> Result<(), JsonFault> {
        self.json.fault().map_or(Ok(()), |_| Err(JsonFault::NotJson))
    }
}
