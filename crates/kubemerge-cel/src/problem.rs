//! What is wrong with an expression, in the form in which cel-go shows it.

/// Further problems are counted, not shown.
const MAX_PROBLEMS: usize = 100;

/// A problem and its place: how many characters are before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) text: String,
}

/// All problems with the lines they are in.
pub(super) fn shown(source: &str, problems: &[Problem]) -> String {
    let mut texts: Vec<String> =
        problems.iter().take(MAX_PROBLEMS).map(|problem| one(source, problem)).collect();
    if problems.len() > MAX_PROBLEMS {
        texts.push(format!("{} more errors were truncated", problems.len() - MAX_PROBLEMS));
    }
    texts.join("\n")
}

fn one(source: &str, problem: &Problem) -> String {
    // cel-go has no line to show for an empty expression and counts columns from zero there.
    if source.is_empty() {
        return format!("ERROR: <input>:1:0: {}", problem.text);
    }
    let mut column = problem.at;
    let mut line_number = 1;
    let mut line = source;
    for text in source.split('\n') {
        line = text;
        let length = text.chars().count();
        if column <= length {
            break;
        }
        column -= length + 1;
        line_number += 1;
    }
    // A tab would move the pointer below it.
    let snippet = line.replace('\t', " ");
    let pointer = pointer(&snippet, column);
    format!("ERROR: <input>:{line_number}:{}: {}\n | {snippet}\n | {pointer}", column + 1, problem.text)
}

/// Dots up to the place, as wide as the characters above them.
fn pointer(snippet: &str, column: usize) -> String {
    let mut chars = snippet.chars();
    let mut text: String =
        chars.by_ref().take(column).map(|char| if char.is_ascii() { '.' } else { '．' }).collect();
    text.push(if chars.next().is_none_or(|char| char.is_ascii()) { '^' } else { '＾' });
    text
}
