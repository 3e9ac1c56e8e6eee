//! Functions on texts. Positions are counted in characters.

use kubemerge_value::part::text_of;

use super::answer::{Answer, no_overload};
use super::format;
use crate::value::{CelList, CelValue};

/// `startsWith`, `endsWith` and `contains`.
pub(super) fn parts<'v>(function: &str, arguments: &[CelValue<'v>]) -> Answer<'v> {
    let [CelValue::String(text), CelValue::String(part)] = arguments else { return no_overload() };
    let part = &**part;
    Ok(CelValue::Bool(match function {
        "startsWith" => text.starts_with(part),
        "endsWith" => text.ends_with(part),
        _ => text.contains(part),
    }))
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    if let ("join", [CelValue::List(list), rest @ ..]) = (function, arguments) {
        let separator = match rest {
            [CelValue::String(text)] => &**text,
            _ => "",
        };
        return Some(join(list, separator));
    }
    let (CelValue::String(text), rest) = arguments.split_first()? else { return None };
    on_text(function, text, rest)
}

fn on_text<'v>(function: &str, text: &str, rest: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, rest) {
        ("charAt", [CelValue::Int(at)]) => char_at(text, *at),
        ("indexOf", [CelValue::String(part)]) => index_of(text, part, 0),
        ("indexOf", [CelValue::String(part), CelValue::Int(from)]) => index_of(text, part, *from),
        ("lastIndexOf", [CelValue::String(part)]) => last_index_of(text, part),
        ("lastIndexOf", [CelValue::String(part), CelValue::Int(from)]) => last_index_from(text, part, *from),
        ("lowerAscii", []) => Ok(CelValue::text(text.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(CelValue::text(text.to_ascii_uppercase())),
        ("replace", [CelValue::String(old), CelValue::String(new)]) => {
            Ok(CelValue::text(text.replace(&**old, new)))
        }
        ("replace", [CelValue::String(old), CelValue::String(new), CelValue::Int(count)]) => {
            Ok(CelValue::text(match usize::try_from(*count) {
                Ok(count) => text.replacen(&**old, new, count),
                Err(_) => text.replace(&**old, new),
            }))
        }
        ("split", [CelValue::String(separator)]) => Ok(split(text, separator, -1)),
        ("split", [CelValue::String(separator), CelValue::Int(count)]) => Ok(split(text, separator, *count)),
        ("substring", [CelValue::Int(start)]) => substring(text, *start, None),
        ("substring", [CelValue::Int(start), CelValue::Int(end)]) => substring(text, *start, Some(*end)),
        ("trim", []) => Ok(CelValue::text(text.trim_matches(is_space))),
        ("format", [CelValue::List(values)]) => format::format(text, values).map(CelValue::text),
        ("strings.quote", []) => Ok(CelValue::text(quoted(text))),
        ("jsonpatch.escapeKey", []) => Ok(CelValue::text(text.replace('~', "~0").replace('/', "~1"))),
        _ => return None,
    })
}

/// White space as Go has it.
fn is_space(char: char) -> bool {
    char.is_whitespace()
}

fn out_of_range<'v>(index: i64) -> Answer<'v> {
    Err(format!("index out of range: {index}").into())
}

fn char_at<'v>(text: &str, at: i64) -> Answer<'v> {
    let Ok(index) = usize::try_from(at) else { return out_of_range(at) };
    match text.chars().nth(index) {
        Some(char) => Ok(CelValue::text(char.to_string())),
        None if index == text.chars().count() => Ok(CelValue::text("")),
        None => out_of_range(at),
    }
}

fn count(text: &str) -> i64 {
    text.chars().count() as i64
}

/// The byte at which a character begins.
fn byte_of(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

fn index_of<'v>(text: &str, part: &str, from: i64) -> Answer<'v> {
    let Ok(start) = usize::try_from(from) else { return out_of_range(from) };
    if part.is_empty() {
        return Ok(CelValue::Int(from.min(count(text))));
    }
    let begin = byte_of(text, start);
    let (before, rest) = text.split_at_checked(begin).unwrap_or((text, ""));
    Ok(CelValue::Int(
        rest.find(part).map_or(-1, |at| count(before) + count(rest.get(..at).unwrap_or_default())),
    ))
}

fn last_index_of<'v>(text: &str, part: &str) -> Answer<'v> {
    if part.is_empty() {
        return Ok(CelValue::Int(count(text)));
    }
    if text.len() < part.len() {
        return Ok(CelValue::Int(-1));
    }
    last_index_from(text, part, count(text) - 1)
}

fn last_index_from<'v>(text: &str, part: &str, from: i64) -> Answer<'v> {
    let Ok(start) = usize::try_from(from) else { return out_of_range(from) };
    let length = count(text);
    if part.is_empty() {
        return Ok(CelValue::Int(from.min(length)));
    }
    if from >= length {
        return Ok(CelValue::Int(-1));
    }
    // A part may begin at the position and go beyond it.
    let end = byte_of(text, start.saturating_add(part.chars().count()));
    let head = text.get(..end).unwrap_or(text);
    Ok(CelValue::Int(head.rfind(part).map_or(-1, |at| count(head.get(..at).unwrap_or_default()))))
}

fn split<'v>(text: &str, separator: &str, limit: i64) -> CelValue<'v> {
    let parts: Vec<&str> = match (usize::try_from(limit), separator) {
        (Ok(0), _) => Vec::new(),
        (Ok(limit), "") => {
            let mut parts: Vec<&str> = Vec::new();
            let mut rest = text;
            while let Some(first) = rest.chars().next() {
                let (head, tail) = rest.split_at(first.len_utf8());
                if parts.len() + 1 == limit {
                    parts.push(rest);
                    break;
                }
                parts.push(head);
                rest = tail;
            }
            parts
        }
        (Err(_), "") => {
            text.char_indices().map(|(at, char)| text_of(text, at..at + char.len_utf8())).collect()
        }
        (Ok(limit), _) => text.splitn(limit, separator).collect(),
        (Err(_), _) => text.split(separator).collect(),
    };
    CelValue::list(parts.into_iter().map(CelValue::text).collect())
}

fn substring<'v>(text: &str, start: i64, end: Option<i64>) -> Answer<'v> {
    let length = count(text);
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(format!("invalid substring range. start: {start}, end: {end}").into());
    }
    let end = end.unwrap_or(length);
    for index in [start, end] {
        if index < 0 || index > length {
            return out_of_range(index);
        }
    }
    let (from, to) = (byte_of(text, start as usize), byte_of(text, end as usize));
    Ok(CelValue::text(text.get(from..to).unwrap_or_default()))
}

fn join<'v>(list: &CelList<'v>, separator: &str) -> Answer<'v> {
    let mut joined = String::new();
    for (at, item) in list.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        match item {
            CelValue::String(text) => joined.push_str(&text),
            other => return Err(format!("join: invalid input: {}", other.shown()).into()),
        }
    }
    Ok(CelValue::text(joined))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
