//! Expressions of Go mean the same to both crates that compile them: `regex`, and `regex-lite` in browsers.

use fastrand::Rng;
use kubemerge_schema::pattern::from_go;
use kubemerge_test_support::seed::rng;
use regex::Regex;
use regex_lite::RegexBuilder;

const CASES: usize = 3_000;

const TOKENS: &str = r"
a b k S 0 7 é ٣ _ - ^ $ . | ( ) [ ] * + ? *? \d \D \w \W \s \S \b \B \A \z \Qa.b\E \. \n \x41 \x{212a} \pL \PL \p{Lu}
\p{^Lu} \p{Greek} \p{Cs} \P{Cs} \p{Any} \P{Any} \p{ASCII} {2} {0} {1,} {2,3} (?: (?i) (?i: (?s) (?m) (?U) (?-i) (?P<n>
[^ [a-z []a] [^]a] [[] [^[] [a&&b] [a--] [a~~b] [\d-z] [\w.-] [^\W] [\D_] [^\D\s] [[:alpha:]] [[:^digit:]_] [[:^word:]é]
[^a-s] [j-l] [R-T] [X-c] [é-ü] [\x{d800}-\x{dfff}] [^\x{d800}-\x{dfff}] [\x{d000}-\x{f000}] [^\x00-\x{10FFFF}] [\pL_]
[^\PL] [\P{Greek}a] [+-] [\n\t] && #
";

const LETTERS: [&str; 24] = [
    "a", "b", "B", "k", "K", "s", "S", "z", "0", "7", "é", "É", "٣", "α", "Ω", "_", "-", ".", "&", " ", "\n",
    "\u{17f}", "\u{212a}", "😀",
];

fn any(rng: &mut Rng, parts: &[&str], most: usize) -> String {
    (0..rng.usize(1..=most)).map(|_| parts[rng.usize(..parts.len())]).collect()
}

/// The expression as a browser has it: its boundaries of words are of ASCII without a flag.
fn in_a_browser(pattern: &str) -> String {
    pattern.replace(r"(?-u:\b)", r"\b").replace(r"(?-u:\B)", r"\B")
}

#[test]
fn both_crates_find_the_same() {
    let (mut rng, tokens) = (rng(), TOKENS.split_whitespace().collect::<Vec<_>>());
    let mut compared = 0;
    for _ in 0..CASES {
        let source = any(&mut rng, &tokens, 7);
        let Ok(pattern) = from_go(&source) else { continue };
        // Other cases of letters that are not of ASCII: a browser refuses them.
        if pattern.contains("(?i:") {
            continue;
        }
        let full = Regex::new(&pattern).unwrap_or_else(|error| panic!("{source}: {error}"));
        let lite = RegexBuilder::new(&in_a_browser(&pattern)).nest_limit(250).build();
        let lite = lite.unwrap_or_else(|error| panic!("{source}, {pattern}: {error}"));
        for _ in 0..6 {
            let text = any(&mut rng, &LETTERS, 8);
            let (one, other) =
                (full.find(&text).map(|found| found.range()), lite.find(&text).map(|found| found.range()));
            assert_eq!(other, one, "{source} on {text:?}, written as {pattern}");
        }
        compared += 1;
    }
    assert!(compared > CASES / 10, "only {compared} expressions were compared");
}
