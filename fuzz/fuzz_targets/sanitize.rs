//! What the command shows of any text neither controls a terminal nor is a command to a CI system, and is shown again as
//! it is.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/kubemerge-cli/src/report/sanitize.rs"]
mod sanitize;

fuzz_target!(|text: &str| {
    let line = sanitize::sanitize(text);
    assert!(!line.chars().any(|char| char.is_control() && char != '\t'));
    assert!(!line.contains(['\u{2028}', '\u{2029}', '\u{202e}', '\u{2066}']));
    assert!(!line.trim_start().starts_with("::") && !line.trim_start().starts_with("##["));
    assert_eq!(sanitize::sanitize(&line), line);
    let lines = sanitize::sanitize_lines(text);
    assert_eq!(lines.matches('\n').count(), text.matches('\n').count());
    assert!(!lines.lines().any(|line| line.trim_start().starts_with("::")));
});
