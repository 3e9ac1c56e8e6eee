//! Classes of characters: `[a-z\d]`, `\pL`.

use super::{
    error::PatternError,
    escape, names,
    ranges::{CharRange, complement, text_of_ranges, write_range},
    text::{check_length, up_to},
    unicode,
};
use kubemerge_value::part::text_of;

/// The class of no character.
const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// The class of all characters.
const EVERYTHING: &str = r"[\x{0}-\x{10FFFF}]";

/// Whether letters mean those of the other case too.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Case {
    Exact,
    Either,
}

/// Letters of ASCII and the shift to those of the other case.
const LETTERS: [(u32, u32, i32); 2] = [(0x41, 0x5A, 32), (0x61, 0x7A, -32)];

/// The letters of ASCII that have a third form: k is the sign of Kelvin too, s the long s.
const THIRD_FORMS: [(u32, u32); 2] = [(0x6B, 0x212A), (0x73, 0x17F)];

/// A class of characters as it is written.
pub(super) struct Class {
    pub(super) text: String,
    /// The crate `regex` has to add other cases: only those of ASCII letters are written out here, because a browser
    /// does without its table of all others.
    pub(super) needs_cases: bool,
}

/// What is between the brackets of a class.
struct Content {
    /// All characters.
    ranges: Vec<CharRange>,
    /// The same with classes inside of it, which other cases are added to before they are negated.
    text: String,
    case: Case,
    needs_cases: bool,
}

impl Content {
    fn new(case: Case) -> Content {
        Content { ranges: Vec::new(), text: String::new(), case, needs_cases: false }
    }

    fn range(&mut self, low: u32, high: u32) {
        self.write(low, high);
        if self.case == Case::Either {
            self.other_cases(low, high);
        }
    }

    fn other_cases(&mut self, low: u32, high: u32) {
        self.needs_cases |= high > 0x7F;
        for (first, last, shift) in LETTERS {
            let (low, high) = (low.max(first), high.min(last));
            if low <= high {
                self.write(low.wrapping_add_signed(shift), high.wrapping_add_signed(shift));
                let has =
                    |letter: u32| (low..=high).contains(&letter) || (low..=high).contains(&(letter - 32));
                let third = THIRD_FORMS.into_iter().filter(|(letter, _)| has(*letter));
                third.for_each(|(_, form)| self.write(form, form));
            }
        }
    }

    fn write(&mut self, low: u32, high: u32) {
        self.ranges.push((low, high));
        write_range(low, high, &mut self.text);
    }

    /// Ranges of ASCII, or all but those.
    fn ranges(&mut self, ranges: &[(u8, u8)], sign: Sign) {
        let mut group = Content::new(self.case);
        ranges.iter().for_each(|(low, high)| group.range(u32::from(*low), u32::from(*high)));
        self.needs_cases |= group.needs_cases;
        self.group(group.ranges, sign);
    }

    /// A class inside of this one.
    fn group(&mut self, ranges: Vec<CharRange>, sign: Sign) {
        match sign {
            Sign::Plain => {
                self.text.push_str(&text_of_ranges(ranges.clone()));
                self.ranges.extend(ranges);
            }
            Sign::Negated => {
                self.text.push_str(&in_brackets(&text_of_ranges(ranges.clone()), sign));
                self.ranges.extend(complement(ranges));
            }
        }
    }

    fn finish(self, sign: Sign) -> Class {
        let text = if self.needs_cases { self.text } else { text_of_ranges(self.ranges) };
        Class { text: in_brackets(&text, sign), needs_cases: self.needs_cases }
    }
}

/// Whether a class has the characters between its brackets, or all others.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Plain,
    Negated,
}

impl Sign {
    fn negated_if(is_negated: bool) -> Sign {
        if is_negated { Sign::Negated } else { Sign::Plain }
    }
}

fn in_brackets(content: &str, sign: Sign) -> String {
    match (content.is_empty(), sign) {
        // Only halves of pairs of UTF-16, which no text has.
        (true, Sign::Plain) => NOTHING.to_owned(),
        (true, Sign::Negated) => EVERYTHING.to_owned(),
        (false, Sign::Plain) => format!("[{content}]"),
        (false, Sign::Negated) => format!("[^{content}]"),
    }
}

/// One character.
pub(super) fn literal(code: u32, case: Case) -> Class {
    let mut content = Content::new(case);
    content.range(code, code);
    content.finish(Sign::Plain)
}

/// Reads a class in brackets at the start of the text.
pub(super) fn read(rest: &mut &str, case: Case) -> Result<Class, PatternError> {
    let whole = *rest;
    *rest = text_of(whole, 1..);
    let sign = Sign::negated_if(rest.starts_with('^'));
    *rest = rest.strip_prefix('^').unwrap_or(rest);
    let mut content = Content::new(case);
    let mut is_first = true;
    // A bracket that is the first character closes nothing.
    while is_first || !rest.starts_with(']') {
        is_first = false;
        check_length(&content.text, whole)?;
        if !named_group(rest, &mut content)? && !group(rest, &mut content)? {
            range(rest, whole, &mut content)?;
        }
    }
    *rest = text_of(rest, 1..);
    Ok(content.finish(sign))
}

/// Reads `\d` or `\pL` at the start of the text, if it is there.
pub(super) fn escaped_group(rest: &mut &str, case: Case) -> Result<Option<Class>, PatternError> {
    let mut content = Content::new(case);
    Ok(group(rest, &mut content)?.then(|| content.finish(Sign::Plain)))
}

/// Reads `[:alpha:]`, if it is there.
fn named_group(rest: &mut &str, content: &mut Content) -> Result<bool, PatternError> {
    let Some(end) = rest.strip_prefix("[:").and_then(|name| name.find(":]")) else { return Ok(false) };
    let (group, after) = rest.split_at(end + 4);
    let name = text_of(group, 2..end + 2);
    let sign = Sign::negated_if(name.starts_with('^'));
    let ranges = names::posix(name.strip_prefix('^').unwrap_or(name)).ok_or_else(|| outside(group))?;
    content.ranges(ranges, sign);
    *rest = after;
    Ok(true)
}

/// Reads `\d` or `\pL`, if it is there.
fn group(rest: &mut &str, content: &mut Content) -> Result<bool, PatternError> {
    let [b'\\', letter, ..] = rest.as_bytes() else { return Ok(false) };
    let ranges = match letter {
        b'd' | b'D' => names::DIGITS,
        b's' | b'S' => names::SPACES,
        b'w' | b'W' => names::WORDS,
        b'p' | b'P' => {
            let (ranges, sign) = unicode_group(rest)?;
            content.group(ranges, sign);
            content.needs_cases |= content.case == Case::Either;
            return Ok(true);
        }
        _ => return Ok(false),
    };
    content.ranges(ranges, Sign::negated_if(letter.is_ascii_uppercase()));
    *rest = text_of(rest, 2..);
    Ok(true)
}

fn unicode_group(rest: &mut &str) -> Result<(Vec<CharRange>, Sign), PatternError> {
    let here = *rest;
    let after = text_of(here, 2..);
    let (length, name) = if after.starts_with('{') {
        let end = here.find('}').ok_or_else(|| outside(here))?;
        (end + 1, text_of(here, 3..end))
    } else {
        let letter = after.chars().next().map_or(0, char::len_utf8);
        (2 + letter, text_of(after, ..letter))
    };
    let (sequence, next) = here.split_at(length);
    let is_capital = sequence.starts_with(r"\P");
    let sign = Sign::negated_if(is_capital != name.starts_with('^'));
    let characters = unicode::characters(name.strip_prefix('^').unwrap_or(name));
    *rest = next;
    Ok((characters.ok_or_else(|| outside(sequence))?, sign))
}

/// One character, or two with a dash between them.
fn range(rest: &mut &str, whole: &str, content: &mut Content) -> Result<(), PatternError> {
    let here = *rest;
    let low = character(rest, whole)?;
    let mut high = low;
    if rest.starts_with('-') && rest.len() >= 2 && !rest.starts_with("-]") {
        *rest = text_of(rest, 1..);
        high = character(rest, whole)?;
        if high < low {
            return Err(outside(up_to(here, rest)));
        }
    }
    content.range(low, high);
    Ok(())
}

fn character(rest: &mut &str, whole: &str) -> Result<u32, PatternError> {
    let first = rest.chars().next().ok_or_else(|| PatternError::new("missing closing ]", whole))?;
    if first == '\\' {
        return escape::read(rest);
    }
    *rest = text_of(rest, first.len_utf8()..);
    Ok(u32::from(first))
}

fn outside(part: &str) -> PatternError {
    PatternError::new("invalid character class range", part)
}
