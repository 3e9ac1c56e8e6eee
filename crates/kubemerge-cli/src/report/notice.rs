//! One message to the user: an error, a warning or a finding, with the place in a file and what to do about it.

use annotate_snippets::{Group, Level, Renderer};
use kubemerge_yaml as yaml;

use super::colour::{Colours, colours_of};
use super::excerpt::Excerpt;
use super::sanitize::sanitize_lines;

/// How serious it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Note,
    Warning,
    Error,
}

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) severity: Severity,
    /// The code of a lint rule.
    pub(crate) code: Option<&'static str>,
    pub(crate) title: String,
    pub(crate) excerpts: Vec<Excerpt>,
    /// Why it is so.
    pub(crate) reason: Option<String>,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

impl Notice {
    pub(crate) fn error(title: impl Into<String>) -> Notice {
        Notice::new(Severity::Error, title)
    }

    pub(crate) fn warning(title: impl Into<String>) -> Notice {
        Notice::new(Severity::Warning, title)
    }

    /// Something to know that is not wrong.
    pub(crate) fn note(title: impl Into<String>) -> Notice {
        Notice::new(Severity::Note, title)
    }

    pub(crate) fn new(severity: Severity, title: impl Into<String>) -> Notice {
        let title = title.into();
        Notice { severity, code: None, title, excerpts: Vec::new(), reason: None, help: None }
    }

    /// A text that is not YAML.
    pub(crate) fn of_yaml(name: &str, bytes: &[u8], error: &yaml::YamlError) -> Notice {
        // The error may be that the text is not UTF-8.
        let text = String::from_utf8_lossy(bytes);
        // The parser reports a place, not a range.
        let at = error.position().offset;
        let excerpt = Excerpt::cut(name, &text, at..at + 1, "");
        if let yaml::YamlErrorKind::DuplicateKey { first } = error.kind() {
            let excerpt = excerpt.with(&text, first.offset..first.offset + 1, "first here");
            return Notice::error(error.message())
                .at(excerpt)
                .help("keep one of them; --duplicate-keys last takes the last, as kubectl does");
        }
        Notice::error(error.message()).at(excerpt).hint(error.hint())
    }

    /// Names the rule that it breaks.
    pub(crate) fn code(mut self, code: &'static str) -> Notice {
        self.code = Some(code);
        self
    }

    pub(crate) fn at(mut self, excerpt: Excerpt) -> Notice {
        self.excerpts.push(excerpt);
        self
    }

    pub(crate) fn reason(mut self, reason: impl Into<String>) -> Notice {
        self.reason = Some(reason.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Notice {
        self.help = Some(help.into());
        self
    }

    /// The help, if there is one.
    pub(crate) fn hint(self, hint: Option<impl Into<String>>) -> Notice {
        Notice { help: hint.map(Into::into), ..self }
    }

    /// Title, reason and help on one line.
    pub(crate) fn sentence(&self) -> String {
        let parts = [Some(&self.title), self.reason.as_ref(), self.help.as_ref()];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Writes it to stderr.
    pub(crate) fn print(&self) {
        eprintln!("{}", self.draw(colours_of(&std::io::stderr())));
    }

    /// The notice as text, with the excerpt of the file.
    pub(crate) fn draw(&self, colours: Colours) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut title = level.primary_title(sanitize_lines(&self.title));
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let first = Group::with_title(title).elements(self.excerpts.iter().map(Excerpt::snippet));
        let mut groups = vec![first];
        if let Some(reason) = &self.reason {
            groups.push(Group::with_title(Level::NOTE.secondary_title(sanitize_lines(reason))));
        }
        if let Some(help) = &self.help {
            groups.push(Group::with_title(Level::HELP.secondary_title(sanitize_lines(help))));
        }
        let renderer = match colours {
            Colours::On => Renderer::styled(),
            Colours::Off => Renderer::plain(),
        };
        // Without an excerpt the renderer would leave a blank line between the groups.
        if !self.excerpts.is_empty() {
            let drawn = renderer.render(&groups);
            return self.excerpts.iter().fold(drawn, |drawn, excerpt| excerpt.with_true_column(drawn));
        }
        let lines: Vec<String> = groups.into_iter().map(|group| renderer.render(&[group])).collect();
        lines.join("\n")
    }
}
