//! Classes of characters: `[a-z\d]`, `\pL`.

use super::{error::PatternError, escape, names};
use escape::write_char;

/// The class of no character.
pub(super) const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// The class of all characters.
const EVERYTHING: &str = r"[\x{0}-\x{10FFFF}]";

/// Reads a class in brackets at the start of the text.
pub(super) fn read(rest: &mut &str) -> Result<String, PatternError> {
    let whole = *rest;
    *rest = &whole[1..];
    let is_negated = rest.starts_with('^');
    *rest = rest.strip_prefix('^').unwrap_or(rest);
    let mut content = String::new();
    let mut is_first = true;
    // A bracket that is the first character closes nothing.
    while is_first || !rest.starts_with(']') {
        is_first = false;
        match named_group(rest)? {
            Some(group) => content.push_str(group),
            None => match escaped_group(rest)? {
                Some(group) => content.push_str(&group),
                None => range(rest, whole, &mut content)?,
            },
        }
    }
    *rest = &rest[1..];
    Ok(match (content.is_empty(), is_negated) {
        // Only halves of pairs of UTF-16, which no text has.
        (true, false) => NOTHING.to_owned(),
        (true, true) => EVERYTHING.to_owned(),
        (false, false) => format!("[{content}]"),
        (false, true) => format!("[^{content}]"),
    })
}

/// `[:alpha:]`, which both syntaxes have.
fn named_group<'p>(rest: &mut &'p str) -> Result<Option<&'p str>, PatternError> {
    let Some(end) = rest.strip_prefix("[:").and_then(|name| name.find(":]")) else { return Ok(None) };
    let (group, after) = rest.split_at(end + 4);
    let name = &group[2..end + 2];
    if !names::POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
        return Err(outside(group));
    }
    *rest = after;
    Ok(Some(group))
}

/// `\d` or `\pL`, as the content of a class.
pub(super) fn escaped_group(rest: &mut &str) -> Result<Option<String>, PatternError> {
    let group = match rest.as_bytes() {
        [b'\\', b'd', ..] => "0-9",
        [b'\\', b'D', ..] => "[^0-9]",
        [b'\\', b's', ..] => r"\t\n\x0C\r\x20",
        [b'\\', b'S', ..] => r"[^\t\n\x0C\r\x20]",
        [b'\\', b'w', ..] => "0-9A-Za-z_",
        [b'\\', b'W', ..] => "[^0-9A-Za-z_]",
        [b'\\', b'p' | b'P', ..] => return unicode_group(rest).map(Some),
        _ => return Ok(None),
    };
    *rest = &rest[2..];
    Ok(Some(group.to_owned()))
}

fn unicode_group(rest: &mut &str) -> Result<String, PatternError> {
    let here = *rest;
    let (sequence, name) = if here[2..].starts_with('{') {
        let end = here.find('}').ok_or_else(|| outside(here))?;
        (&here[..=end], &here[3..end])
    } else {
        let letter = here[2..].chars().next().map_or(0, char::len_utf8);
        (&here[..2 + letter], &here[2..2 + letter])
    };
    let is_capital = here.as_bytes()[1] == b'P';
    let is_negated = is_capital != name.starts_with('^');
    let name = names::of_unicode(name.strip_prefix('^').unwrap_or(name)).ok_or_else(|| outside(sequence))?;
    *rest = &here[sequence.len()..];
    Ok(match (name.as_str(), is_negated) {
        // Halves of pairs of UTF-16 are in no text.
        ("Cs", false) => NOTHING.to_owned(),
        ("Cs", true) => EVERYTHING.to_owned(),
        (name, false) => format!(r"\p{{{name}}}"),
        (name, true) => format!(r"\P{{{name}}}"),
    })
}

/// One character, or two with a dash between them.
fn range(rest: &mut &str, whole: &str, content: &mut String) -> Result<(), PatternError> {
    let here = *rest;
    let low = character(rest, whole)?;
    let mut high = low;
    if rest.starts_with('-') && rest.len() >= 2 && !rest.starts_with("-]") {
        *rest = &rest[1..];
        high = character(rest, whole)?;
        if high < low {
            return Err(outside(&here[..here.len() - rest.len()]));
        }
    }
    let (low, high) = (first_in_text(low), last_in_text(high));
    if low <= high {
        write_char(content, low);
        content.push('-');
        write_char(content, high);
    }
    Ok(())
}

fn character(rest: &mut &str, whole: &str) -> Result<u32, PatternError> {
    let first = rest.chars().next().ok_or_else(|| PatternError::new("missing closing ]", whole))?;
    if first == '\\' {
        return escape::read(rest);
    }
    *rest = &rest[first.len_utf8()..];
    Ok(u32::from(first))
}

fn first_in_text(code: u32) -> u32 {
    if char::from_u32(code).is_some() { code } else { 0xE000 }
}

fn last_in_text(code: u32) -> u32 {
    if char::from_u32(code).is_some() { code } else { 0xD7FF }
}

fn outside(part: &str) -> PatternError {
    PatternError::new("invalid character class range", part)
}
