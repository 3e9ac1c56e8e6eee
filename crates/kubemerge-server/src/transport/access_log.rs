//! What is logged about a request that was answered: never bodies, queries or credentials.

use std::{fmt, sync::Arc, time::Duration};

use http::Method;

/// Where the log goes.
pub(super) type LogSink = Arc<dyn Fn(&AccessLogEntry<'_>) + Send + Sync>;

/// Where defects of the server are reported.
pub(super) type ErrorSink = Arc<dyn Fn(&str) + Send + Sync>;

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AccessLogEntry<'r> {
    /// The method.
    pub method: &'r Method,
    /// The path, without the query.
    pub path: &'r str,
    /// The HTTP code of the answer.
    pub code: u16,
    /// How long the answer took; of a watch, how long it took to open.
    pub duration: Duration,
    /// The user that the client's certificate names.
    pub user: Option<&'r str>,
}

/// `GET /api/v1/pods 200 0.4ms`, with the user at the end if there is one.
impl fmt::Display for AccessLogEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.duration.as_secs_f64() * 1000.0;
        write!(f, "{} {} {} {milliseconds:.1}ms", self.method, self.path, self.code)?;
        self.user.map_or(Ok(()), |user| write!(f, " {}", user.escape_debug()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_at_the_end_and_ends_no_line() {
        let entry = AccessLogEntry {
            method: &Method::GET,
            path: "/api/v1/pods",
            code: 200,
            duration: Duration::from_micros(400),
            user: Some("a\nb"),
        };
        assert_eq!(entry.to_string(), "GET /api/v1/pods 200 0.4ms a\\nb");
        assert_eq!(AccessLogEntry { user: None, ..entry }.to_string(), "GET /api/v1/pods 200 0.4ms");
    }
}
