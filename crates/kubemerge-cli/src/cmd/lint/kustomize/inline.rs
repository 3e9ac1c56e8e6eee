//! Places of a patch that is written in its kustomization.

use std::ops::Range;

use kubemerge_inspect::{Finding, Location};

use crate::load::Kustomization;

/// The finding with its places in the text of the kustomization; the patch is the scalar at a path.
pub(super) fn placed(of: &Kustomization, path: &str, patch: &str, finding: Finding) -> Finding {
    let documents = of.source.documents().unwrap_or_default();
    let Some(document) = documents.first() else { return finding };
    let scalar = document.locate_nearest(path).value.range();
    let place = |range: &Range<usize>| outer_range(of.source.text(), &scalar, patch, range);
    let moved = |location: Location| Location { range: place(&location.range), ..location };
    Finding {
        location: moved(finding.location),
        related: finding.related.into_iter().map(moved).collect(),
        ..finding
    }
}

/// Where a range of the value of a scalar is in the text of the scalar; the whole scalar if it is written otherwise
/// than line by line.
fn outer_range(text: &str, scalar: &Range<usize>, value: &str, range: &Range<usize>) -> Range<usize> {
    let written = &text[scalar.clone()];
    // In quotes, or plain.
    if let Some(at) = written.find(value.trim_end()) {
        let start = scalar.start + at;
        return start + range.start..start + range.end.min(value.trim_end().len()).max(range.start);
    }
    let (Some(start), Some(end)) =
        (in_block(written, value, range.start), in_block(written, value, range.end))
    else {
        return scalar.clone();
    };
    scalar.start + start..scalar.start + end
}

/// The offset in a block scalar, header included, of an offset in its value.
fn in_block(written: &str, value: &str, offset: usize) -> Option<usize> {
    let before = value.get(..offset)?;
    let line = before.matches('\n').count();
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1);
    let wanted = value.lines().nth(line).unwrap_or_default();
    // The first line is the header.
    let mut start = written.find('\n')? + 1;
    for _ in 0..line {
        start += written.get(start..)?.find('\n')? + 1;
    }
    let own = written.get(start..)?.lines().next().unwrap_or_default();
    // Folded lines are joined, so that they are found nowhere.
    let indentation = own.strip_suffix(wanted)?.len();
    Some(start + indentation + column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, value: &str, part: &str, found: &str) {
        let start = value.find(part).unwrap();
        let place = outer_range(text, &(3..text.len()), value, &(start..start + part.len()));
        assert_eq!(&text[place], found);
    }

    #[test]
    fn places_in_scalars() {
        check("p: |-\n    a: 1\n    b:\n      c: 2\n", "a: 1\nb:\n  c: 2", "c: 2", "c: 2");
        check("p: |\n  a: 1\n\n  b: 2\n", "a: 1\n\nb: 2\n", "b: 2", "b: 2");
        check("p: '{a: 1, b: 2}'\n", "{a: 1, b: 2}", "b: 2", "b: 2");
        // Joined lines and escapes have no place of their own.
        check("p: >\n  a:\n  1\n", "a: 1\n", "a: 1", ">\n  a:\n  1\n");
        check("p: \"{a: \\\"x\\\"}\"\n", "{a: \"x\"}", "a", "\"{a: \\\"x\\\"}\"\n");
    }
}
