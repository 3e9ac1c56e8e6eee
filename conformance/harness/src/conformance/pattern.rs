//! `cargo xtask conformance --patterns`: regular expressions against Go's package `regexp`.

use std::process::ExitCode;

use kubemerge_schema::pattern::from_go;
use regex::Regex;
use serde_json::{Value, json};

use super::{BATCH, MAX_DIFFERENCES, Options};
use crate::rng::Rng;
use kubemerge_test_support::reference::Reference;

/// Cases of a run whose length is not given.
const CASES: usize = 100_000;

/// Texts that each expression is asked about.
const SAMPLES: usize = 12;

/// What expressions are made of: forms that Go and the crate `regex` read alike, forms that they read in other ways,
/// and forms that one of them does not know.
const TOKENS: &str = r"
a b k S 0 7 é ٣ _ - ^ $ . | ( ) [ ] { } , * + ? *? \ \d \D \w \W \s \S \b \B \A \z \Z \Q \E \C \. \< \_ \- \] \n
\v \x41 \x{212a} \x{d800} \x{} \x4 \101 \1 \08 \pL \PL \p{Lu} \p{^Lu} \p{Greek} \p{Grek} \p{Old_Italic} \p{Cs}
\p{any} \p{ASCII} \p{digit} \p{ {2} {0} {,2} {1,} {2,3} {3,2} {02} {40} {1001} {99999999999} (?: (?i) (?i: (?s)
(?m) (?U) (?-i) (?i-s: (?x) (?u) (?= (?P<n> (?<n> (?P<1a> (?P<> (?P<n (?# [^ [a-z []a] [^]a] [[] [^[] [a&&b]
[a--] [a~~b] [\d-z] [\w.-] [^\W] [[:alpha:]] [[:^digit:]_] [[:foo:]] [[:lower:]] [[:^upper:]] [[:^word:]é]
[[:print:]] [^a-s] [j-l] [R-T] [X-c] [é-ü] [[:alpha] [z-a] [\x{d800}-\x{dfff}] [\x{d000}-\x{d900}]
[^\x00-\x{10FFFF}] [\pL_] [\b] [+-] [\101-\103] && # < > : = !
";

/// Categories and scripts, in place of the X in `\p{X}`.
const CLASSES: &str = "
    C Cc Cf Cn Co L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs
    Other Letter Mark Digit punct cntrl Private_Use Assigned Common Inherited Latin Greek Cyrillic Han Hiragana Hangul Arabic
    Hebrew Thai Lao Yi Vai Nko Tangut Kawi Braille Cherokee Garay Sunuwar
";

/// More of them, with spaces or letters that look like others.
const SPECIAL_TOKENS: [&str; 6] = ["\u{17f}", "\u{212a}", " ", "\\P{lower case letter}", "\n", "\t"];

/// What texts are made of.
const LETTERS: &str = r"
a b A B C k K s S z 0 7 9 é É ٣ α Ω _ - . [ ] { } & ~ < > # , ^ $ \ 😀
";

/// More of them.
const SPECIAL_LETTERS: [&str; 7] = ["\u{17f}", "\u{212a}", " ", "\n", "\t", "\u{b}", "\u{a0}"];

pub(super) fn run(arguments: &[String]) -> ExitCode {
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("conformance --patterns: {complaint}\n\n{}", super::HELP);
            return ExitCode::from(2);
        }
    };
    let mut reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    println!("seed {}", options.seed);
    match compare(&options, &mut reference) {
        Ok(tally) => tally.print(),
        Err(complaint) => {
            eprintln!("conformance --patterns: {complaint}");
            ExitCode::from(2)
        }
    }
}

/// Where each text matches, or what is wrong with the expression.
type Answer = Result<Vec<Option<[usize; 2]>>, String>;

struct Case {
    pattern: String,
    samples: Vec<String>,
}

#[derive(Default)]
struct Tally {
    valid: usize,
    refused: usize,
    different: usize,
}

impl Tally {
    fn print(&self) -> ExitCode {
        println!("{} expressions, {} of them refused", self.valid + self.refused, self.refused);
        println!("different: {}", self.different);
        if self.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn compare(options: &Options, reference: &mut Reference) -> Result<Tally, String> {
    let (parts, mut rng) = (Parts::new(), Rng::new(options.seed));
    let mut tally = Tally::default();
    let cases = options.cases.unwrap_or(CASES);
    while tally.valid + tally.refused < cases && tally.different < MAX_DIFFERENCES {
        let batch: Vec<Case> = (0..BATCH).map(|_| parts.case(&mut rng)).collect();
        let requests: Vec<String> = batch.iter().map(Case::request).collect();
        for (case, reply) in batch.iter().zip(reference.ask(&requests)?) {
            let theirs = theirs(&reply)?;
            *if theirs.is_ok() { &mut tally.valid } else { &mut tally.refused } += 1;
            let ours = case.answer();
            if ours != theirs {
                tally.different += 1;
                println!("{:?} on {:?}\n  Go: {theirs:?}\n  ours: {ours:?}\n", case.pattern, case.samples);
            }
        }
    }
    Ok(tally)
}

/// What cases are made of.
struct Parts {
    tokens: Vec<&'static str>,
    letters: Vec<&'static str>,
    classes: Vec<&'static str>,
}

impl Parts {
    fn new() -> Parts {
        Parts {
            tokens: TOKENS.split_ascii_whitespace().chain(SPECIAL_TOKENS).collect(),
            letters: LETTERS.split_ascii_whitespace().chain(SPECIAL_LETTERS).collect(),
            classes: CLASSES.split_ascii_whitespace().collect(),
        }
    }

    fn case(&self, rng: &mut Rng) -> Case {
        let pattern = (0..=rng.below(7)).map(|_| self.token(rng)).collect();
        let sample = |rng: &mut Rng| (0..rng.below(5)).map(|_| self.letter(rng)).collect();
        Case { pattern, samples: (0..SAMPLES).map(|_| sample(rng)).collect() }
    }

    fn token(&self, rng: &mut Rng) -> String {
        match rng.below(8) {
            0 => format!("\\{}{{{}}}", rng.pick(&["p", "P"]), rng.pick(&self.classes)),
            _ => (*rng.pick(&self.tokens)).to_owned(),
        }
    }

    /// One of the letters, or any character: most of those that have a name are in the first planes.
    fn letter(&self, rng: &mut Rng) -> String {
        let planes = [0x3000, 0x1_0000, 0x3_2000, 0x11_0000];
        match rng.below(3) {
            0 => {
                let end = *rng.pick(&planes);
                char::from_u32(rng.below(end) as u32).map(String::from).unwrap_or_default()
            }
            _ => (*rng.pick(&self.letters)).to_owned(),
        }
    }
}

impl Case {
    fn request(&self) -> String {
        json!({"op": "pattern", "text": self.pattern, "samples": self.samples}).to_string()
    }

    /// The first match in each text, or what is wrong with the expression.
    fn answer(&self) -> Answer {
        let pattern = from_go(&self.pattern).map_err(|error| error.to_string())?;
        let regex = Regex::new(&pattern).map_err(|error| error.to_string())?;
        let places = |sample| regex.find(sample).map(|found| [found.start(), found.end()]);
        Ok(self.samples.iter().map(|sample| places(sample)).collect())
    }
}

fn theirs(reply: &str) -> Result<Answer, String> {
    let mut reply: Value = serde_json::from_str(reply).map_err(|error| error.to_string())?;
    if let Some(message) = reply["error"]["message"].as_str() {
        return Ok(Err(message.to_owned()));
    }
    serde_json::from_value(reply["result"].take()).map(Ok).map_err(|error| error.to_string())
}
