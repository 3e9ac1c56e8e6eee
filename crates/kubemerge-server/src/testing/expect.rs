//! Assertions about the request log, with the same matchers that select faults.

use http::Method;

use crate::{
    api::hooks::IncomingRequest,
    protocol::{query::Query, target::Named, verb::Verb},
    testing::{fault::On, log::LoggedRequest},
};

impl LoggedRequest {
    /// What the request asked to do; none for requests that are not for objects.
    pub fn verb(&self) -> Option<Verb> {
        let method = Method::try_from(self.method.as_str()).ok()?;
        Verb::of(&method, &Named::from(self.address.as_ref()?), &Query::parse(Some(&self.query)))
    }

    /// Whether this request matches.
    pub fn matches(&self, on: &On) -> bool {
        let Some(address) = &self.address else { return false };
        let (verb, address) = (self.verb(), Named::from(address));
        on.covers(&IncomingRequest { verb, address: &address, content_type: &self.content_type })
    }

    /// The request in the form of a matcher, with the code of its answer.
    fn as_matched(&self) -> String {
        match &self.address {
            Some(address) => format!("{} {}", On::exactly(self.verb(), address), self.code),
            None => self.to_string(),
        }
    }
}

/// One line of a failed expectation: a request that is wanted beside one that was made.
struct Row {
    wanted: String,
    made: String,
}

/// Panics unless exactly these requests for objects were made, in this order; discovery does not count.
#[track_caller]
pub(crate) fn assert_requests(entries: Vec<LoggedRequest>, wanted: &[On]) {
    // Clients send discovery requests when they like.
    let made: Vec<LoggedRequest> = entries.into_iter().filter(|entry| entry.address.is_some()).collect();
    let matched = made.iter().zip(wanted).take_while(|(entry, on)| entry.matches(on)).count();
    if matched == made.len() && matched == wanted.len() {
        return;
    }
    let row = |at: usize| Row {
        wanted: wanted.get(at).map(On::to_string).unwrap_or_default(),
        made: made.get(at).map(LoggedRequest::as_matched).unwrap_or_default(),
    };
    let rows: Vec<Row> = (0..made.len().max(wanted.len())).map(row).collect();
    panic!("request {} differs; exactly these were wanted:{}", matched + 1, table(&rows, matched));
}

/// Panics unless these requests were made in this order, whatever else was requested.
#[track_caller]
pub(crate) fn assert_requests_among_others(entries: &[LoggedRequest], wanted: &[On]) {
    let mut missing = wanted.iter().peekable();
    let mut rows = Vec::new();
    for entry in entries {
        let matched = missing.next_if(|on| entry.matches(on));
        rows.push(Row { wanted: matched.map(On::to_string).unwrap_or_default(), made: entry.as_matched() });
    }
    let (first_missing, made) = (wanted.len() - missing.len(), rows.len());
    if first_missing == wanted.len() {
        return;
    }
    rows.extend(missing.map(|on| Row { wanted: on.to_string(), made: String::new() }));
    panic!("wanted request {} was not made after those before it:{}", first_missing + 1, table(&rows, made));
}

/// Both sides in columns, one row marked.
fn table(rows: &[Row], marked: usize) -> String {
    let width =
        rows.iter().map(|row| row.wanted.chars().count()).max().unwrap_or_default().max("wanted".len());
    let mut text = format!("\n    {:width$}  made", "wanted");
    for (at, Row { wanted, made }) in rows.iter().enumerate() {
        let mark = if at == marked { ">" } else { " " };
        let (wanted, made) = (or_dash(wanted), or_dash(made));
        text += &format!("\n  {mark} {wanted:width$}  {made}");
    }
    text
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}
