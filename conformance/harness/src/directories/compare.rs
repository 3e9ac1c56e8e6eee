//! Compares what kubectl printed and what both servers hold, and counts.

use kubemerge_test_support::recording::normal::{Identity, Owners, normalise};
use serde_json::Value;

use super::kubectl::{Printed, identity};

/// Counts of a run.
#[derive(Default)]
pub(super) struct Tally {
    outcomes: Count,
    messages: Count,
    objects: Count,
    owners: Count,
}

#[derive(Default)]
struct Count {
    all: usize,
    same: usize,
}

impl Count {
    /// Counts one comparison and prints both sides where they differ.
    fn compare<T: PartialEq + std::fmt::Display>(&mut self, place: &str, there: &T, here: &T) {
        self.all += 1;
        if there == here {
            self.same += 1;
        } else {
            println!("{place}\n  there {there}\n  here  {here}");
        }
    }

    fn text(&self) -> String {
        format!("{} of {}", self.same, self.all)
    }
}

impl Tally {
    /// Compares the lines of commands: results on stdout, refusals and warnings on stderr.
    pub(super) fn outcomes(&mut self, place: &str, there: &[Printed], here: &[Printed]) {
        for (number, (there, here)) in there.iter().zip(here).enumerate() {
            let place = format!("{place}, command {}", number + 1);
            self.outcomes.compare(&place, &there.succeeded, &here.succeeded);
            lines(&mut self.outcomes, &place, &there.stdout, &here.stdout);
            lines(
                &mut self.messages,
                &place,
                &without_addresses(&there.stderr),
                &without_addresses(&here.stderr),
            );
        }
    }

    /// Compares the objects, and their owners apart from them.
    pub(super) fn objects(&mut self, place: &str, there: &[Value], here: &[Value]) {
        for object in there {
            let name = identity(object);
            let other = here.iter().find(|other| identity(other) == name).cloned().unwrap_or_default();
            let place = format!("{place}, {name}");
            self.objects.compare(&place, &normal(object, Owners::Ignored), &normal(&other, Owners::Ignored));
            let owners =
                |object: &Value| normal(object, Owners::Compared)["metadata"]["managedFields"].clone();
            self.owners.compare(&place, &owners(object), &owners(&other));
        }
        for object in here {
            let name = identity(object);
            if !there.iter().any(|other| identity(other) == name) {
                self.objects.compare(&format!("{place}, {name}"), &Value::Null, object);
            }
        }
    }

    pub(super) fn print(&self, pairs: usize) {
        println!(
            "{pairs} pairs: outcomes {}, messages {}, final objects {}, owners {}",
            self.outcomes.text(),
            self.messages.text(),
            self.objects.text(),
            self.owners.text()
        );
    }

    pub(super) fn is_clean(&self) -> bool {
        [&self.outcomes, &self.messages, &self.objects, &self.owners]
            .iter()
            .all(|count| count.all == count.same)
    }
}

fn lines(count: &mut Count, place: &str, there: &str, here: &str) {
    let (mut there, mut here) = (there.lines(), here.lines());
    loop {
        match (there.next(), here.next()) {
            (None, None) => return,
            (there, here) => {
                count.compare(
                    place,
                    &there.unwrap_or_default().to_string(),
                    &here.unwrap_or_default().to_string(),
                );
            }
        }
    }
}

fn normal(object: &Value, owners: Owners) -> Value {
    let mut object = object.clone();
    let identity = Identity::of(&object);
    normalise(&mut object, &identity, owners);
    object
}

/// Messages name the server that was asked.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("://127.0.0.1:");
    let mut found =
        parts.next().unwrap_or_default().trim_end_matches("https").trim_end_matches("http").to_string();
    for part in parts {
        found.push_str("server");
        let rest = part.trim_start_matches(|char: char| char.is_ascii_digit());
        found.push_str(rest.trim_end_matches("https").trim_end_matches("http"));
    }
    found
}
