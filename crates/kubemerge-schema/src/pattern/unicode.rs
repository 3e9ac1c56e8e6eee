//! Categories and scripts of Unicode with Go's tables, which are of another version of Unicode than those of the crate
//! `regex`.

use super::ranges::{CharRange, complement, merged};

/// A line for each name that `\p{…}` finds, written by `cargo xtask kubernetes`: the name, other names, and after a tab
/// its characters. A range is how far it is from the one before, and with a plus how many characters follow its first
/// one, in hexadecimal. Categories of one letter are made of those that start with it.
const TABLE: &str = include_str!("unicode.txt");

/// Parts of the category that is not one letter and has no characters of its own.
const CASED_LETTERS: [&str; 3] = ["Ll", "Lt", "Lu"];

/// The characters that have a name, if Go knows it.
pub(super) fn characters(name: &str) -> Option<Vec<CharRange>> {
    // Letters count, not their case, and what separates words does not.
    let name = name.replace(['_', '-', ' '], "");
    let is = |other: &str| other.eq_ignore_ascii_case(&name);
    match () {
        () if is("Any") => Some(complement(Vec::new())),
        () if is("ASCII") => Some(vec![(0, 0x7F)]),
        () if is("Assigned") => characters("Cn").map(complement),
        () => TABLE.lines().find(|line| names(line).split(' ').any(is)).map(of_line),
    }
}

fn names(line: &str) -> &str {
    line.split('\t').next().unwrap_or(line)
}

fn of_line(line: &str) -> Vec<CharRange> {
    match line.split_once('\t') {
        Some((_, own)) => ranges(own).collect(),
        // Capital and small letters alternate: together they are far fewer ranges.
        None => merged(parts(names(line)).flat_map(ranges).collect()),
    }
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

fn ranges(text: &str) -> impl Iterator<Item = CharRange> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_characters() {
        for name in TABLE.lines().flat_map(|line| names(line).split(' ')) {
            assert!(characters(name).is_some_and(|found| !found.is_empty()), "{name}");
        }
    }

    #[test]
    fn names_are_found_as_go_finds_them() {
        assert_eq!(characters("lowercase_Letter"), characters("Ll"));
        assert_eq!(characters("PUNCT"), characters("P"));
        assert_eq!(characters("Old_Italic"), None);
        // A script of Unicode 16: Go has tables of Unicode 15.
        assert_eq!(characters("Garay"), None);
    }

    #[test]
    fn a_category_of_one_letter_is_made_of_its_parts() {
        let spaces = [
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
        ];
        assert_eq!(characters("Z").as_deref(), Some(&spaces[..]));
        assert_eq!(characters("Cs"), Some(vec![(0xD800, 0xDFFF)]));
    }
}
