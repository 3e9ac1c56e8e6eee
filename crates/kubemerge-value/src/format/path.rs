//! Names that are segments of paths.

use super::Problems;

/// A name that can be a segment of a path.
pub fn path_segment_name(text: &str) -> Problems {
    match text {
        "." => vec!["may not be '.'".to_owned()],
        ".." => vec!["may not be '..'".to_owned()],
        _ => path_segment_prefix(text),
    }
}

/// The start of such a name.
pub fn path_segment_prefix(text: &str) -> Problems {
    let illegal = ["/", "%"].into_iter().filter(|illegal| text.contains(illegal));
    illegal.map(|illegal| format!("may not contain '{illegal}'")).collect()
}
