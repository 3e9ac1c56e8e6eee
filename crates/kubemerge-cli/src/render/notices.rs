//! Draws findings, each with its place in a file.

use crate::report::{Notice, colours_of};

/// The notices as text for standard output, a blank line between two.
pub(crate) fn render_notices<'n>(notices: impl Iterator<Item = &'n Notice>) -> String {
    let colours = colours_of(&std::io::stdout());
    let texts: Vec<String> = notices.map(|notice| notice.draw(colours) + "\n").collect();
    texts.join("\n")
}
