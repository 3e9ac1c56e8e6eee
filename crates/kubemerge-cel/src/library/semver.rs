//! Semantic versions, read as the Go module `blang/semver` reads them.

use crate::error::CelError;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use kubemerge_value::write::go_quoted as quoted;

use super::answer::Answer;
use crate::value::CelValue;

/// A version.
#[derive(Clone, Debug)]
pub struct Semver {
    numbers: [u64; 3],
    pre: Vec<Identifier>,
    build: Vec<String>,
}

/// A part of what follows `-`. Numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(String),
}

/// Whether a text is made a version where it is not quite one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Strict,
    Lenient,
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, arguments) {
        ("semver" | "isSemver", [CelValue::String(text), rest @ ..]) => {
            let reading =
                if matches!(rest, [CelValue::Bool(true)]) { Reading::Lenient } else { Reading::Strict };
            let version = Semver::read(text, reading);
            match function {
                "isSemver" => Ok(CelValue::Bool(version.is_ok())),
                _ => version.map(|version| CelValue::Semver(Rc::new(version))),
            }
        }
        ("major", [CelValue::Semver(version)]) => Ok(CelValue::Int(version.numbers[0] as i64)),
        ("minor", [CelValue::Semver(version)]) => Ok(CelValue::Int(version.numbers[1] as i64)),
        ("patch", [CelValue::Semver(version)]) => Ok(CelValue::Int(version.numbers[2] as i64)),
        ("isLessThan", [CelValue::Semver(one), CelValue::Semver(other)]) => {
            Ok(CelValue::Bool(one.compare(other) == Ordering::Less))
        }
        ("isGreaterThan", [CelValue::Semver(one), CelValue::Semver(other)]) => {
            Ok(CelValue::Bool(one.compare(other) == Ordering::Greater))
        }
        ("compareTo", [CelValue::Semver(one), CelValue::Semver(other)]) => {
            Ok(CelValue::Int(one.compare(other) as i64))
        }
        _ => return None,
    })
}

impl Semver {
    fn read(text: &str, reading: Reading) -> Result<Semver, CelError> {
        match reading {
            Reading::Strict => parse(text),
            Reading::Lenient => parse(&normalized(text)?),
        }
    }

    /// The order of two versions; what follows `+` does not count.
    pub(crate) fn compare(&self, other: &Semver) -> Ordering {
        let pre = match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            // A version that is out comes after those before it.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
        };
        self.numbers.cmp(&other.numbers).then(pre)
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (at, identifier) in self.pre.iter().enumerate() {
            f.write_str(if at == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Word(word) => f.write_str(word)?,
            }
        }
        for (at, word) in self.build.iter().enumerate() {
            write!(f, "{}{word}", if at == 0 { "+" } else { "." })?;
        }
        Ok(())
    }
}

/// Without `v` and leading zeros, and with three numbers.
fn normalized(text: &str) -> Result<String, CelError> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
    for part in parts.iter_mut().filter(|part| part.len() > 1) {
        let digits = part.trim_start_matches('0');
        let has_digit = digits.starts_with(|first: char| first.is_ascii_digit());
        *part = if has_digit { digits.to_owned() } else { format!("0{digits}") };
    }
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".into());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}

fn parse(text: &str) -> Result<Semver, CelError> {
    if text.is_empty() {
        return Err("Version string empty".into());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".into());
    };
    let (major, minor) = (number(major, "Major")?, number(minor, "Minor")?);
    let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let numbers = [major, minor, number(patch, "Patch")?];
    let pre = pre.into_iter().flat_map(|pre| pre.split('.')).map(identifier).collect::<Result<_, _>>()?;
    let build =
        build.into_iter().flat_map(|build| build.split('.')).map(build_word).collect::<Result<_, _>>()?;
    Ok(Semver { numbers, pre, build })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn number(text: &str, what: &str) -> Result<u64, CelError> {
    if !is_digits(text) {
        return Err(
            format!("Invalid character(s) found in {} number {}", what.to_lowercase(), quoted(text)).into()
        );
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{what} number must not contain leading zeroes {}", quoted(text)).into());
    }
    parse_uint(text)
}

fn parse_uint(text: &str) -> Result<u64, CelError> {
    let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: {why}", quoted(text)).into())
}

fn identifier(text: &str) -> Result<Identifier, CelError> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if is_digits(text) {
        if text.len() > 1 && text.starts_with('0') {
            let problem = "Numeric PreRelease version must not contain leading zeroes";
            return Err(format!("{problem} {}", quoted(text)).into());
        }
        return parse_uint(text).map(Identifier::Number);
    }
    if is_word(text) {
        return Ok(Identifier::Word(text.to_owned()));
    }
    Err(format!("Invalid character(s) found in prerelease {}", quoted(text)).into())
}

fn build_word(text: &str) -> Result<String, CelError> {
    if text.is_empty() {
        return Err("Build meta data is empty".into());
    }
    if is_word(text) {
        return Ok(text.to_owned());
    }
    Err(format!("Invalid character(s) found in build meta data {}", quoted(text)).into())
}
