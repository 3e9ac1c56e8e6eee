//! The full check of a JSON text: UTF-8, grammar, depth, range of numbers.
//!
//! What passes may be scanned without looking back. Nothing is built and nothing recurses. Two checks share
//! the work: [`blocks`] is fast and passes nearly every valid document; what it does not pass goes to
//! [`exact`], which reads byte by byte, has the last word and names the fault.

mod blocks;
mod exact;
mod token;

pub(crate) use token::{SyntaxFault, escape_end, literal_number_end, number_end};

use crate::{
    error::{ParseError, ParseErrorKind as Kind},
    text::Ends,
};

/// What the check learns on its way.
pub(crate) struct Checked {
    pub(crate) ends: Ends,
    /// How deep the document is nested.
    pub(crate) depth: usize,
}

/// Checks that the bytes are one JSON value.
pub(crate) fn check(bytes: &[u8]) -> Result<Checked, ParseError> {
    // Offsets are u32 everywhere: half the memory in every index.
    if u32::try_from(bytes.len()).is_err() {
        return Err(ParseError::at(Kind::TooLarge, b"", 0));
    }
    match blocks::check(bytes) {
        Some(checked) => Ok(checked),
        // The fast check only knows that something is wrong or unusual.
        None => exact::check(bytes).map_err(|fault| ParseError::at(fault.kind, bytes, fault.at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_DEPTH, text::MIN_INDEXED_BYTES};

    fn fails(text: &str, kind: Kind, offset: usize) {
        let error = check(text.as_bytes()).err().expect(text);
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
    }

    #[test]
    fn valid_documents_pass() {
        for text in [
            "null",
            " [ ] ",
            "{}",
            r#"{"a":[1,2.5e-3,{"b":"\u00e9\n"}],"c":false}"#,
            "-0",
            "[[],{}, [{}]]",
            "1e308",
        ] {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn words_that_cross_the_blocks_of_the_fast_check_are_read_to_their_end() {
        for fill in 40..140 {
            for fault in ["true\\", "12x4", "nullnull", "falsey", "0123"] {
                let text = format!("[\"{}\",{fault}]", "x".repeat(fill));
                assert!(check(text.as_bytes()).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn faults_are_found_where_they_are() {
        fails("", Kind::UnexpectedEnd, 0);
        fails("{", Kind::UnexpectedEnd, 1);
        fails("[1,]", Kind::UnexpectedCharacter, 3);
        fails("{\"a\":1,}", Kind::UnexpectedCharacter, 7);
        fails("[1}", Kind::UnexpectedCharacter, 2);
        fails("1 2", Kind::TrailingText, 2);
        fails("\"a\nb\"", Kind::ControlCharacter, 2);
        fails(r#""\x""#, Kind::InvalidEscape, 2);
        fails("01", Kind::TrailingText, 1);
        fails("-", Kind::InvalidNumber, 1);
        fails("1.", Kind::InvalidNumber, 2);
        fails("[1e400]", Kind::NumberOutOfRange, 1);
        fails("tru", Kind::UnexpectedEnd, 3);
        fails("[false\0\0\0]", Kind::UnexpectedCharacter, 6);
        fails("[null\0]", Kind::UnexpectedCharacter, 5);
    }

    #[test]
    fn invalid_utf8_is_an_error() {
        assert_eq!(check(b"\"\xff\"").err().unwrap().kind(), Kind::InvalidUtf8);
    }

    #[test]
    fn the_depth_limit_is_exact() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(check(nested(MAX_DEPTH).as_bytes()).unwrap().depth, MAX_DEPTH);
        let error = check(nested(MAX_DEPTH + 1).as_bytes()).err().unwrap();
        assert_eq!(error.kind(), Kind::TooDeep { limit: MAX_DEPTH });
    }

    #[test]
    fn large_containers_are_noted_with_their_ends() {
        let text = format!("[1, {{\"a\":[\"{}\"]}}, [2]]", "x".repeat(MIN_INDEXED_BYTES));
        let ends = check(text.as_bytes()).unwrap().ends;
        assert_eq!(ends.length(text.as_bytes()), Some(text.len()));
        assert_eq!(ends.length(&text.as_bytes()[4..]), Some(text.len() - 4 - ", [2]]".len()));
        assert_eq!(ends.length(&text.as_bytes()[9..]), Some(MIN_INDEXED_BYTES + 4));
        assert_eq!(ends.length(&text.as_bytes()[text.len() - 4..]), None);
    }

    #[test]
    fn line_and_column_are_counted() {
        let error = check("{\n  \"é\": x}".as_bytes()).err().unwrap();
        assert_eq!((error.line(), error.column()), (2, 8));
        assert_eq!(error.to_string(), "unexpected character at line 2, column 8");
    }
}
