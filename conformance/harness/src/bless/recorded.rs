//! Answers of Go's YAML library that the tests of `kubemerge-yaml` hold: one case a line, the question first.

use std::collections::BTreeMap;

use kubemerge_value::{Arena, Document, Node};
use serde_json::{Value, json, value::RawValue};

use super::Report;
use kubemerge_test_support::{reference::Reference, root};

const FILES: [&str; 2] =
    ["crates/kubemerge-yaml/tests/read_cases.json", "crates/kubemerge-yaml/tests/write_cases.json"];

/// Asks for all recorded answers again.
pub(super) fn bless_all(reference: &mut Reference, check: bool, report: &mut Report) -> Result<(), String> {
    for file in FILES {
        let path = root().join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let blessed = bless_file(reference, file, &text, report)?;
        if !check && blessed != text {
            std::fs::write(&path, blessed).map_err(|error| format!("{file}: {error}"))?;
        }
    }
    Ok(())
}

fn bless_file(
    reference: &mut Reference,
    file: &str,
    text: &str,
    report: &mut Report,
) -> Result<String, String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let cases: Vec<(usize, Recorded)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, Recorded::read(line)?))).collect();
    let requests: Vec<String> = cases.iter().map(|(_, case)| case.request()).collect();
    let replies = reference.ask(&requests)?;
    for ((at, case), reply) in cases.iter().zip(replies) {
        report.asked += 1;
        let place = format!("{file}:{}", at + 1);
        let answers = case.answers(&reply).map_err(|error| format!("{place}: {error}"))?;
        if !case.holds(&answers) && !is_given_too(reference, case)? {
            report.changed.push(place);
            lines[*at] = case.with(&answers);
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// How often a question is asked whose first answer is not the recorded one.
const REPEATS: usize = 40;

/// Whether Go gives the recorded answer too: where keys meet, the order in which it walks a map decides.
fn is_given_too(reference: &mut Reference, case: &Recorded) -> Result<bool, String> {
    let replies = reference.ask(&vec![case.request(); REPEATS])?;
    Ok(replies.iter().filter_map(|reply| case.answers(reply).ok()).any(|answers| case.holds(&answers)))
}

/// A question, and the members that hold answers to it.
struct Question {
    op: &'static str,
    answers: [&'static str; 2],
}

const READ: Question = Question { op: "yaml", answers: ["json", "error"] };
const WRITE: Question = Question { op: "yaml-write", answers: ["yaml", "error"] };
const STREAM: Question = Question { op: "yaml-stream", answers: ["docs", "error"] };

/// What Go answers, member by member.
type Answers = BTreeMap<String, Value>;

/// A case.
struct Recorded {
    question: &'static Question,
    /// The names and the texts of the members as they are in the line, the question first.
    members: Vec<(String, String)>,
    /// The comma after the case, if there is one.
    end: &'static str,
}

impl Recorded {
    /// `None` for a line without a case.
    fn read(line: &str) -> Option<Recorded> {
        let (line, end) = line.strip_suffix(',').map_or((line, ""), |line| (line, ","));
        let (arena, document) = (Arena::new(), Document::check(line.as_bytes()).ok()?);
        let text = |value: Node<'_>| Some(String::from_utf8_lossy(value.as_text()?).into_owned());
        let entries = document.node().entries(&arena).iter();
        let members: Vec<(String, String)> =
            entries.filter_map(|entry| Some((entry.key.text().into_owned(), text(entry.value)?))).collect();
        let question = match members.first()?.0.as_str() {
            "json" => &WRITE,
            // A case has no operation in it; its answers tell which one it is.
            _ if members.iter().any(|(name, _)| name == "docs") => &STREAM,
            _ => &READ,
        };
        Some(Recorded { question, members, end })
    }

    fn request(&self) -> String {
        format!(r#"{{"op":"{}","text":{}}}"#, self.question.op, self.members[0].1)
    }

    fn answers(&self, reply: &str) -> Result<Answers, serde_json::Error> {
        let reply: BTreeMap<&str, &RawValue> = serde_json::from_str(reply)?;
        let [answer, error] = self.question.answers.map(str::to_string);
        let Some(result) = reply.get("result").map(|result| result.get()) else {
            let fault = reply.get("error").map_or("null", |fault| fault.get());
            let fault: Value = serde_json::from_str(fault)?;
            return Ok([(error, fault["message"].clone())].into());
        };
        match self.question.op {
            // The text of the result is the answer: the order of its members counts.
            "yaml" => Ok([(answer, json!(result))].into()),
            "yaml-write" => Ok([(answer, serde_json::from_str(result)?)].into()),
            _ => serde_json::from_str(result),
        }
    }

    fn is_answer(&self, (name, _): &&(String, String)) -> bool {
        self.question.answers.contains(&name.as_str())
    }

    /// Whether the case holds just these answers.
    fn holds(&self, answers: &Answers) -> bool {
        let held = self.members[1..].iter().filter(|member| self.is_answer(member));
        held.map(|(name, text)| (name.clone(), serde_json::from_str(text).unwrap_or_default()))
            .collect::<Answers>()
            == *answers
    }

    /// The line with other answers.
    fn with(&self, answers: &Answers) -> String {
        let (question, others) = (&self.members[0], self.members[1..].iter());
        let answers = answers.iter().map(|(name, answer)| (name.clone(), answer.to_string()));
        let others = others.filter(|member| !self.is_answer(member)).cloned();
        let members: Vec<String> = std::iter::once(question.clone())
            .chain(answers)
            .chain(others)
            .map(|(name, text)| format!("\"{name}\": {text}"))
            .collect();
        format!("{{{}}}{}", members.join(", "), self.end)
    }
}
