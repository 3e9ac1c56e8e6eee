//! The fast reader gives the document that the parser's events give, or none.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::events;
use crate::options::{DuplicateKeys, Options};

/// Whether the fast reader took the text. Fails if the two readers disagree.
fn is_read(text: &str) -> bool {
    [DuplicateKeys::Error, DuplicateKeys::LastWins].map(|duplicate_keys| agree(text, duplicate_keys))[0]
}

fn agree(text: &str, duplicate_keys: DuplicateKeys) -> bool {
    let options = Options { duplicate_keys, ..Options::default() };
    let Some(fast) = super::read_document(text, 0..text.len(), options) else { return false };
    let slow = events::read_document(text, 0..text.len(), options);
    let slow = slow.unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let slow = slow.unwrap_or_else(|| panic!("{text:?}: no document"));
    assert_eq!(format!("{:?}", fast.items), format!("{:?}", slow.items), "{text:?}");
    assert_eq!((&fast.traps, &fast.range), (&slow.traps, &slow.range), "{text:?}");
    true
}

#[test]
fn manifests_are_read() {
    let texts = [
        "a: 1\n",
        "a:\nb:\n",
        "- a\n-\n- - b\n  - c: d\n    e:\n",
        "a:\n- b\n- c: d\ne: {}\nf: [] # none\n",
        "a:\n  - b\n\n# comment\n  -\n    c: d\n",
        "'a b': \"c\\n\\\"\\\\d\"\n\"e\": 'f''g'\n",
        "a: |\n  b\n   c \n\n  d\n\ne: |-\n    f\n",
        "- |\n b\n- x\n",
        "a: [\"b\", 'c', d e, 1, [], {}] # c\nb: { c: [d], \"e\": {f: g}}\n",
        "a: é\nü: |\n  x\ty\n  \tz\n",
        "  a: yes\n  0644: 0x1F\n",
        "a: b\na: c\n",
    ];
    // The last one is read only if the last key wins.
    let read = texts.iter().filter(|text| is_read(text)).count();
    assert_eq!(read, texts.len() - 1);
    assert!(agree("a: b\na: c\n", DuplicateKeys::LastWins));
}

#[test]
fn what_is_uncertain_is_left_to_the_parser() {
    let texts = [
        "",
        "# nothing\n",
        "a\n",
        "a: b\n  c\n",
        "a:\n  b\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !!str b\n",
        "a: [b,\n  c]\n",
        "a: {b}\n",
        "a: [b: c]\n",
        "a: [b, ]\n",
        "a: {b:c}\n",
        "[a]\n",
        "a: >\n  b\n",
        "a: |+\n  b\n",
        "a: |2\n  b\n",
        "a: |\n  b",
        "a: |\n\n  b\n",
        "a: |\n  b\n\tc\n",
        "a: \"b\n  c\"\n",
        "a: \"\\u00e9\"\n",
        "a: b: c\n",
        "a : b\n",
        "? a\n",
        "<<: {}\n",
        "\ta: b\n",
        "a: b\r\n",
        "a: b\n...\n",
        "a: \u{85}\n",
        "\u{feff}a: b\n",
        "a: @b\n",
        "a:\n   b: c\n  d: e\n",
        "- a\nb: c\n",
        "a: b\n- c\n",
    ];
    texts.iter().for_each(|text| assert!(!is_read(text), "{text:?}"));
}

#[test]
fn long_runs_of_comments_are_read_alike() {
    let comments = "# comment\n".repeat(300);
    assert!(is_read(&format!("a:\n{comments}  b: c\n{comments}")));
    assert!(is_read(&format!("a:\n{comments}- b\n{comments}- c\n")));
}

/// Pieces of lines, put together at random: some give manifests, others errors and rare constructs.
fn lines() -> impl Strategy<Value = String> {
    let indent = prop_oneof![4 => Just(0usize), 4 => Just(2), 2 => Just(4), 1 => 0usize..7];
    let dashes =
        prop_oneof![6 => Just(""), 3 => Just("- "), 1 => Just("- - "), 1 => Just("-   "), 1 => Just("-")];
    let key = prop_oneof![
        8 => "[abc]".prop_map(|key| format!("{key}:")),
        1 => prop::sample::select(vec![
            "", "\"a\":", "'b':", "yes:", "08:", "~:", "a b:", "a#b:", "a:b:", "k :", "<<:", "?", "-x:", "é:",
            "a.b/c:", "\"a\\\"b\":", "'it''s':", "=:", ".:", "...", "a,b:", "[a]:", "\"a:",
        ]).prop_map(str::to_owned),
    ];
    let value = prop_oneof![
        3 => Just(String::new()),
        4 => "( )?[ab01x.:#-]{0,6}",
        4 => prop::sample::select(vec![
            " x", " 'y'", " \"z\"", " {}", " []", " |", " |-", " >", " # c", " x # c", " x #", " x#y", " - ", " -",
            " 1.10", " 0x1F", " +1", " .inf", " 2001-01-01", " NO", " null", " \"a\\nb\"", " \"\\/\"", " 'a''b'",
            " \"a\" b", " 'a'#c", " &a", " *a", " !x", " [a", " {a: b}", " @", " `", " %", " ü", " x  ", "  x",
            " \\", " <<", " (a)", " a: b", " a:", " :a", " a\tb", " {} # c", " {}x", " | # c", " |+", " |1", " --- ",
            " ,", " ]", " }", " a]", " \u{2028}", " \u{7f}", " \"\"", " ''", " \"\\\\\"", " '\\'", " ;", " ^", " $a",
        ]).prop_map(str::to_owned),
    ];
    let line = (indent, dashes, key, value)
        .prop_map(|(indent, dashes, key, value)| format!("{}{dashes}{key}{value}", " ".repeat(indent)));
    let line = prop_oneof![
        12 => line,
        2 => Just(String::new()),
        1 => Just("   ".to_owned()),
        1 => Just("  # comment".to_owned()),
        1 => Just("    \ttext".to_owned()),
    ];
    let line = prop_oneof![8 => line, 1 => flow_line()];
    let end = prop_oneof![5 => Just("\n"), 1 => Just("")];
    (prop::collection::vec(line, 1..9), end).prop_map(|(lines, end)| lines.join("\n") + end)
}

/// A key with a flow collection, which may be broken.
fn flow_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[", "[", "]", "]", "{", "}", "{a: ", "b: ", ", ", ", ", ",", " ", "x", "x y", "-", "-1", "1", "'q'",
        "\"r\"", "\"k\": ", ":", "#", " #", "~", "a:b", "&", "*", "no", "0x1", "a-b", "?", "\"", "é",
    ]);
    prop::collection::vec(piece, 1..7).prop_flat_map(|pieces| {
        let inner = pieces.concat();
        let texts = vec![format!("f: {inner}"), format!("f: [{inner}]"), format!("- {{a: {inner}}}")];
        prop::sample::select(texts)
    })
}

#[test]
fn both_readers_agree() {
    // PROPTEST_CASES asks for more.
    let cases = Config::default().cases.max(3_000);
    let (mut runner, read) = (TestRunner::new(Config::with_cases(cases)), std::cell::Cell::new(0));
    let outcome = runner.run(&lines(), |text| {
        read.set(read.get() + u32::from(is_read(&text)));
        Ok(())
    });
    outcome.unwrap();
    // Otherwise the law would hold because nothing is read.
    assert!(read.get() > cases / 20, "{} of {cases}", read.get());
}
