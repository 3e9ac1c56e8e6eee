//! About how much memory an expression takes when it is compiled, known before it is: no less than the compiler of the
//! crate `regex` counts for one direction.

/// What every expression takes.
pub(super) const BASE: usize = 4096;
/// A character, a sign, or what a group or a repetition adds.
pub(super) const STEP: usize = 96;
/// Any character: all sequences of bytes of UTF-8.
pub(super) const ANY: usize = 2048;
/// What one character of the text of a class may add: a range takes a dozen characters, and a few sequences of bytes.
const CLASS_TEXT: usize = 20;

/// A class, by its text. One of ASCII is a single step, whatever it has.
pub(super) fn of_class(text: &str, needs_cases: bool) -> usize {
    if !needs_cases && is_ascii(text) {
        return STEP + 4 * text.len();
    }
    let size = ANY + CLASS_TEXT * text.len();
    // Other cases may be ranges of their own.
    if needs_cases { 3 * size } else { size }
}

fn is_ascii(class: &str) -> bool {
    let mut codes = class.split("\\x{").skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    !class.contains("[^")
        && class.is_ascii()
        && codes.all(|code| u32::from_str_radix(code, 16).is_ok_and(|code| code < 0x80))
}
