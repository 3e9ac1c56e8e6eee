//! Categories and scripts of Unicode with Go's tables, which are of another version of Unicode than those of the crate
//! `regex`.

use super::{
    class::{Sign, first_in_text, in_brackets, last_in_text},
    escape::write_char,
};

/// A line for each name that `\p{…}` finds, written by `cargo xtask kubernetes`: the name, other names, and after a tab
/// its characters. A range is how far it is from the one before, and with a plus how many characters follow its first
/// one, in hexadecimal. Categories of one letter are made of those that start with it.
const TABLE: &str = include_str!("unicode.txt");

/// Parts of the category that is not one letter and has no characters of its own.
const CASED_LETTERS: [&str; 3] = ["Ll", "Lt", "Lu"];

/// The class of a name, in brackets, if Go knows the name.
pub(super) fn class(name: &str, sign: Sign) -> Option<String> {
    // Letters count, not their case, and what separates words does not.
    let name = name.replace(['_', '-', ' '], "");
    let is = |other: &str| other.eq_ignore_ascii_case(&name);
    match () {
        () if is("Any") => Some(in_brackets("\0-\u{10FFFF}", sign)),
        () if is("ASCII") => Some(in_brackets("\0-\x7F", sign)),
        () if is("Assigned") => class("Cn", sign.inverse()),
        () => {
            let line = TABLE.lines().find(|line| names(line).split(' ').any(is))?;
            Some(in_brackets(&characters(line), sign))
        }
    }
}

fn names(line: &str) -> &str {
    line.split('\t').next().unwrap_or(line)
}

/// The characters of a line of the table, as ranges of a class.
fn characters(line: &str) -> String {
    let own = line.split_once('\t').map(|(_, own)| own);
    let mut ranges: Vec<(u32, u32)> = match own {
        Some(own) => ranges(own).collect(),
        None => parts(names(line)).flat_map(ranges).collect(),
    };
    // Capital and small letters alternate: together they are far fewer ranges.
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, last)) if *last + 1 == low => *last = high,
            _ => merged.push((low, high)),
        }
    }
    let mut text = String::new();
    merged.into_iter().for_each(|(low, high)| write_range(low, high, &mut text));
    text
}

/// The ranges of the categories that make up another one.
fn parts(names: &str) -> impl Iterator<Item = &'static str> {
    let name = names.split(' ').next().unwrap_or(names).to_owned();
    let parts = TABLE.lines().filter_map(|line| line.split_once('\t'));
    let parts = parts.filter(move |(names, _)| {
        let part = names.split(' ').next().unwrap_or(names);
        match name.as_str() {
            "LC" => CASED_LETTERS.contains(&part),
            _ => part.len() == 2 && part.starts_with(&name),
        }
    });
    parts.map(|(_, ranges)| ranges)
}

fn ranges(text: &str) -> impl Iterator<Item = (u32, u32)> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap_or_default();
    let mut next = 0;
    text.split(' ').map(move |range| {
        let (distance, more) = range.split_once('+').unwrap_or((range, "0"));
        let low = next + number(distance);
        let high = low + number(more);
        next = high + 1;
        (low, high)
    })
}

/// Writes a range, but for halves of pairs of UTF-16, which are in no text.
fn write_range(low: u32, high: u32, out: &mut String) {
    let (low, high) = (first_in_text(low), last_in_text(high));
    if low > high {
        return;
    }
    write_char(out, low);
    if low < high {
        out.push('-');
        write_char(out, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_characters() {
        for name in TABLE.lines().flat_map(|line| names(line).split(' ')) {
            let text = class(name, Sign::Plain).unwrap_or_default();
            assert!(text.starts_with('[') && text.len() > 2, "{name}: {text}");
        }
    }

    #[test]
    fn names_are_found_as_go_finds_them() {
        assert_eq!(class("lowercase_Letter", Sign::Plain), class("Ll", Sign::Plain));
        assert_eq!(class("PUNCT", Sign::Negated), class("P", Sign::Negated));
        assert_eq!(class("Old_Italic", Sign::Plain), None);
        // A script of Unicode 16: Go has tables of Unicode 15.
        assert_eq!(class("Garay", Sign::Plain), None);
    }

    #[test]
    fn a_category_of_one_letter_is_made_of_its_parts() {
        assert_eq!(
            class("Z", Sign::Plain).as_deref(),
            Some("[\\x{20}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}-\u{2029}\u{202f}\u{205f}\u{3000}]")
        );
        assert_eq!(class("Cs", Sign::Plain).as_deref(), Some(r"[^\x{0}-\x{10FFFF}]"));
    }
}
