//! The lines of a user's file with a place, kept for a message that points there.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use kubemerge_yaml::Position;

use super::sanitize::sanitize;

/// Lines longer than this are cut around the place.
// Minified JSON is one line of megabytes.
const MAX_LINE_LENGTH: usize = 400;

/// A few lines of a file and the marks on them.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    first_line: usize,
    /// Where the text starts in the file.
    offset: usize,
    marks: Vec<Mark>,
    /// Where the first mark is.
    position: Position,
}

#[derive(Clone, Debug)]
struct Mark {
    range: Range<usize>,
    label: String,
    kind: AnnotationKind,
}

impl Excerpt {
    /// The lines around a range of a text that the user knows by this name.
    pub(crate) fn cut(name: &str, text: &str, range: Range<usize>, label: impl Into<String>) -> Excerpt {
        let position = Position::of(text, range.start);
        // A value may span hundreds of lines; its first one identifies it.
        let first_end = end_of_first_line(text, range);
        let range = position.offset..first_end.max(position.offset);
        let kept = line_around(text, &range);
        let mut excerpt = Excerpt {
            name: name.to_owned(),
            text: text[kept.clone()].to_owned(),
            first_line: position.line,
            offset: kept.start,
            marks: Vec::new(),
            position,
        };
        excerpt.mark(range, label.into(), AnnotationKind::Primary);
        excerpt
    }

    /// A second place of the same text; the lines between the two are shown.
    pub(crate) fn with(mut self, text: &str, other: Range<usize>, label: impl Into<String>) -> Excerpt {
        let start = text.floor_char_boundary(other.start);
        let other = start..end_of_first_line(text, other).max(start);
        let around = line_around(text, &other);
        let end = self.offset + self.text.len();
        let wide = around.start.min(self.offset)..around.end.max(end);
        let moved = self.offset - wide.start;
        // The excerpt may have grown upwards.
        self.first_line -= text[wide.start..self.offset].matches('\n').count();
        self.text = text[wide.clone()].to_owned();
        self.offset = wide.start;
        for mark in &mut self.marks {
            mark.range = mark.range.start + moved..mark.range.end + moved;
        }
        self.mark(other, label.into(), AnnotationKind::Context);
        self
    }

    fn mark(&mut self, range: Range<usize>, label: String, kind: AnnotationKind) {
        let range = range.start - self.offset..range.end - self.offset;
        self.marks.push(Mark { range, label, kind });
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Line and column of the first mark.
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// The column after the first mark, which ends on its line.
    pub(crate) fn end_column(&self) -> usize {
        let mark = &self.marks[0].range;
        // At least one column, or editors mark nothing.
        self.position.column + self.text[mark.clone()].chars().count().max(1)
    }

    /// Line, column and label of the other marks.
    pub(crate) fn related(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        self.marks.iter().skip(1).map(|mark| {
            let before = &self.text[..mark.range.start];
            let line = self.first_line + before.matches('\n').count();
            let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
            (line, column, mark.label.as_str())
        })
    }

    /// The form in which it is drawn.
    pub(crate) fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let snippet =
            Snippet::source(self.text.as_str()).line_start(self.first_line).path(sanitize(&self.name));
        snippet.annotations(self.marks.iter().map(|mark| {
            let annotation = mark.kind.span(mark.range.clone());
            if mark.label.is_empty() { annotation } else { annotation.label(sanitize(&mark.label)) }
        }))
    }

    /// Corrects the column in the drawing of a line that was cut.
    pub(crate) fn with_true_column(&self, drawn: String) -> String {
        let before = &self.text[..self.marks[0].range.start];
        let shown = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        let Position { line, column, .. } = self.position;
        if shown == column {
            drawn
        } else {
            // The line was cut at its start, so the drawn column is too small.
            let place = |column: usize| format!("{}:{line}:{column}\n", sanitize(&self.name));
            drawn.replacen(&place(shown), &place(column), 1)
        }
    }
}

/// A mark ends with its line: blocks of many lines are named by their start.
fn end_of_first_line(text: &str, range: Range<usize>) -> usize {
    let start = text.floor_char_boundary(range.start);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let end = text.floor_char_boundary(range.end.min(text.len()));
    end.min(line_end)
}

/// The whole line of a range, cut where it is too long.
fn line_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline);
    let nearest = text.ceil_char_boundary(range.start.saturating_sub(MAX_LINE_LENGTH));
    let farthest = text.floor_char_boundary((range.end + MAX_LINE_LENGTH).min(text.len()));
    start.max(nearest.min(range.start))..end.min(farthest.max(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, range: Range<usize>) -> (String, usize, Range<usize>) {
        let excerpt = Excerpt::cut("f", text, range, "");
        (excerpt.text.clone(), excerpt.first_line, excerpt.marks[0].range.clone())
    }

    #[test]
    fn the_line_of_the_place_is_kept() {
        let text = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n";
        let (kept, line, mark) = cut(text, 10..11);
        assert_eq!((kept.as_str(), line, mark), ("c: 3", 3, 0..1));
    }

    #[test]
    fn the_ends_of_a_text_are_no_trouble() {
        assert_eq!(cut("", 0..0), (String::new(), 1, 0..0));
        assert_eq!(cut("a", 1..1), ("a".to_owned(), 1, 1..1));
        assert_eq!(cut("a: 1\nb: 2", 5..9), ("b: 2".to_owned(), 2, 0..4));
        assert_eq!(cut("\n\nb", 2..3), ("b".to_owned(), 3, 0..1));
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}x{}", "ä".repeat(5000), "b".repeat(5000));
        let (kept, line, mark) = cut(&text, 10_000..10_001);
        assert!(kept.len() < 1000 && line == 1 && &kept[mark] == "x");
    }

    #[test]
    fn a_mark_stays_on_its_first_line() {
        let (_, _, mark) = cut("spec:\n  a: 1\n  b: 2\n", 0..20);
        assert_eq!(mark, 0..5);
    }

    #[test]
    fn a_second_place_widens_the_excerpt() {
        let text = "a: 1\nb: 2\nc: 3\nd: 4\na: 5\n";
        let excerpt = Excerpt::cut("f", text, 20..21, "again").with(text, 0..1, "first");
        assert_eq!((excerpt.text.as_str(), excerpt.first_line), (text.trim_end(), 1));
        assert_eq!(excerpt.marks[0].range, 20..21);
        assert_eq!(excerpt.marks[1].range, 0..1);
        assert_eq!(excerpt.position().line, 5);
    }
}
