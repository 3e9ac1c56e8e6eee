//! Unified diffs of texts, as messages about updates show them.
//!
//! The algorithm is that of Python's `difflib`, which Kubernetes uses through a Go port: the longest run of equal
//! lines, then the same to its left and right; in long texts, lines that are frequent start no run.

use std::{collections::HashMap, ops::Range};

use kubemerge_value::part::{item_at, part_of};

/// Lines around a change.
const CONTEXT: usize = 3;
/// From this many lines on, frequent lines start no run.
const LONG_TEXT: usize = 200;

/// A run of equal lines.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    a: usize,
    b: usize,
    len: usize,
}

/// A stretch of both texts, equal or not.
#[derive(Clone, Copy)]
struct Stretch {
    is_equal: bool,
    a: (usize, usize),
    b: (usize, usize),
}

/// The difference of two texts without file names; empty if there is none.
pub fn unified_diff(a: &str, b: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('\n').collect(), b.split('\n').collect());
    let mut out = String::new();
    for group in groups(&stretches(&a, &b)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (in_a, in_b) = (range(first.a.0, last.a.1), range(first.b.0, last.b.1));
        out.push_str(&format!("@@ -{in_a} +{in_b} @@\n"));
        for stretch in &group {
            let lines_of_a = part_of(&a, stretch.a.0..stretch.a.1);
            let sides = if stretch.is_equal {
                vec![(' ', lines_of_a)]
            } else {
                vec![('-', lines_of_a), ('+', part_of(&b, stretch.b.0..stretch.b.1))]
            };
            for (mark, lines) in sides {
                lines.iter().for_each(|line| out.push_str(&format!("{mark}{line}\n")));
            }
        }
    }
    out
}

/// `5,15`: the first line and how many there are.
fn range(start: usize, end: usize) -> String {
    match end - start {
        1 => (start + 1).to_string(),
        0 => format!("{start},0"),
        len => format!("{},{len}", start + 1),
    }
}

fn stretches(a: &[&str], b: &[&str]) -> Vec<Stretch> {
    let mut all = Vec::new();
    let (mut at_a, mut at_b) = (0, 0);
    let end = Run { a: a.len(), b: b.len(), len: 0 };
    for run in runs(a, b).into_iter().chain([end]) {
        if at_a < run.a || at_b < run.b {
            all.push(Stretch { is_equal: false, a: (at_a, run.a), b: (at_b, run.b) });
        }
        (at_a, at_b) = (run.a + run.len, run.b + run.len);
        if run.len > 0 {
            all.push(Stretch { is_equal: true, a: (run.a, at_a), b: (run.b, at_b) });
        }
    }
    all
}

/// The part of both texts that is compared.
struct Window {
    a: Range<usize>,
    b: Range<usize>,
}

/// All runs of equal lines in order; neighbours are joined.
fn runs(a: &[&str], b: &[&str]) -> Vec<Run> {
    let places = places_of_lines(b);
    let mut found = Vec::new();
    // Parts that are left to compare, on a heap instead of the stack: texts may have many runs.
    let mut queue = vec![Window { a: 0..a.len(), b: 0..b.len() }];
    while let Some(window) = queue.pop() {
        let run = longest_run(a, b, &places, &window);
        if run.len == 0 {
            continue;
        }
        found.push(run);
        if window.a.start < run.a && window.b.start < run.b {
            queue.push(Window { a: window.a.start..run.a, b: window.b.start..run.b });
        }
        if run.a + run.len < window.a.end && run.b + run.len < window.b.end {
            queue.push(Window { a: run.a + run.len..window.a.end, b: run.b + run.len..window.b.end });
        }
    }
    found.sort_by_key(|run| (run.a, run.b));
    let mut joined: Vec<Run> = Vec::new();
    for run in found {
        match joined.last_mut() {
            // Runs that were found one after the other may touch.
            Some(last) if last.a + last.len == run.a && last.b + last.len == run.b => last.len += run.len,
            _ => joined.push(run),
        }
    }
    joined
}

fn places_of_lines<'t>(b: &[&'t str]) -> HashMap<&'t str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in b.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    if b.len() >= LONG_TEXT {
        // As Python's difflib does, after which Go's library is made: brackets are on every other line.
        let most = b.len() / 100 + 1;
        places.retain(|_, at| at.len() <= most);
    }
    places
}

/// The longest run in a part of both texts; of several the first.
fn longest_run(a: &[&str], b: &[&str], places: &HashMap<&str, Vec<usize>>, window: &Window) -> Run {
    let mut best = Run { a: window.a.start, b: window.b.start, len: 0 };
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (at, line) in a.iter().enumerate().take(window.a.end).skip(window.a.start) {
        let mut next = HashMap::new();
        for place in places.get(line).into_iter().flatten().filter(|place| window.b.contains(place)) {
            let len = place.checked_sub(1).and_then(|before| lengths.get(&before)).unwrap_or(&0) + 1;
            next.insert(*place, len);
            if len > best.len {
                best = Run { a: at + 1 - len, b: place + 1 - len, len };
            }
        }
        lengths = next;
    }
    // Frequent lines may be part of a run that another line started.
    let is_equal = |in_a: usize, in_b: usize| item_at(a, in_a) == item_at(b, in_b);
    while best.a > window.a.start && best.b > window.b.start && is_equal(best.a - 1, best.b - 1) {
        best = Run { a: best.a - 1, b: best.b - 1, len: best.len + 1 };
    }
    while best.a + best.len < window.a.end
        && best.b + best.len < window.b.end
        && is_equal(best.a + best.len, best.b + best.len)
    {
        best.len += 1;
    }
    best
}

/// Changes that are close together, with the lines around them.
fn groups(stretches: &[Stretch]) -> Vec<Vec<Stretch>> {
    let mut groups = Vec::new();
    let mut group: Vec<Stretch> = Vec::new();
    let count = stretches.len();
    for (at, stretch) in stretches.iter().enumerate() {
        let len = stretch.a.1 - stretch.a.0;
        let mut stretch = *stretch;
        if stretch.is_equal && at == 0 {
            stretch = tail(stretch);
        } else if stretch.is_equal && at + 1 == count {
            stretch = head(stretch);
        } else if stretch.is_equal && len > 2 * CONTEXT {
            group.push(head(stretch));
            groups.push(std::mem::take(&mut group));
            stretch = tail(stretch);
        }
        group.push(stretch);
    }
    if group.iter().any(|stretch| !stretch.is_equal) {
        groups.push(group);
    }
    groups
}

fn head(stretch: Stretch) -> Stretch {
    let len = (stretch.a.1 - stretch.a.0).min(CONTEXT);
    Stretch { a: (stretch.a.0, stretch.a.0 + len), b: (stretch.b.0, stretch.b.0 + len), ..stretch }
}

fn tail(stretch: Stretch) -> Stretch {
    let len = (stretch.a.1 - stretch.a.0).min(CONTEXT);
    Stretch { a: (stretch.a.1 - len, stretch.a.1), b: (stretch.b.1 - len, stretch.b.1), ..stretch }
}

#[cfg(test)]
mod tests {
    use super::unified_diff;

    #[test]
    fn changes_have_three_lines_around_them() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9";
        assert_eq!(unified_diff(before, after), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        assert_eq!(unified_diff(before, before), "");
    }
}
