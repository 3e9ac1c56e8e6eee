//! Expressions that are compiled: by the crate `regex`, and in a browser by `regex-lite`, which has a sixth of its size. It
//! is slower, and knows other cases of letters of ASCII only.

#[cfg(not(target_family = "wasm"))]
use regex::Regex;
#[cfg(target_family = "wasm")]
use regex_lite::Regex;

use super::from_go;

/// How much an expression may keep of what it has found out about texts.
#[cfg(not(target_family = "wasm"))]
const MAX_CACHE_BYTES: usize = 512 * 1024;

/// An expression of Go that texts are compared with.
#[derive(Clone, Debug)]
pub struct Matcher(Regex);

impl Matcher {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What Go says about a wrong expression, or that it takes too much memory.
    pub fn from_go(pattern: &str) -> Result<Matcher, String> {
        let pattern = from_go(pattern).map_err(|error| error.to_string())?;
        compile(&pattern).map(Matcher)
    }

    /// Whether a part of a text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(not(target_family = "wasm"))]
fn compile(pattern: &str) -> Result<Regex, String> {
    let mut builder = regex::RegexBuilder::new(pattern);
    // What was translated is bounded already; this holds if the estimate is wrong.
    let built = builder.size_limit(super::MAX_COMPILED_BYTES).dfa_size_limit(MAX_CACHE_BYTES).build();
    built.map_err(|error| error.to_string())
}

#[cfg(target_family = "wasm")]
fn compile(pattern: &str) -> Result<Regex, String> {
    // Only classes with letters that are not of ASCII need it; without a table their other cases would be missing.
    if pattern.contains("(?i:") {
        return Err("other cases of letters that are not of ASCII are not known here".to_owned());
    }
    // As deep as the crate `regex` goes.
    let built = regex_lite::RegexBuilder::new(pattern).nest_limit(250).build();
    built.map_err(|error| error.to_string())
}
