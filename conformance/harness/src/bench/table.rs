//! The tables, for people or for machines.

use serde_json::{Value, json};

/// How the tables are printed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Markdown.
    Text,
    /// One JSON object.
    Json,
}

/// Rows of named figures; the first column is text.
pub(super) struct Table {
    pub(super) title: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// How a figure is written for people.
    pub(super) unit: Unit,
}

/// What the figures are.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Nanoseconds, shown with a fitting unit.
    Time,
    /// How many times as long as the first column.
    Ratio,
}

/// A row: what it is about, and its figures.
pub(super) type Row = (String, Vec<Option<f64>>);

impl Table {
    /// A table of times.
    pub(super) fn times(
        title: &'static str,
        columns: impl IntoIterator<Item = impl Into<String>>,
        rows: Vec<Row>,
    ) -> Table {
        Table { title, columns: columns.into_iter().map(Into::into).collect(), rows, unit: Unit::Time }
    }

    /// The same rows as multiples of their first column.
    pub(super) fn ratios(&self, title: &'static str) -> Table {
        let ratio = |row: &[Option<f64>]| -> Vec<Option<f64>> {
            row.iter().map(|time| Some((*time)? / row.first().copied()??)).collect()
        };
        let rows = self.rows.iter().map(|(name, row)| (name.clone(), ratio(row))).collect();
        Table { title, columns: self.columns.clone(), rows, unit: Unit::Ratio }
    }

    fn markdown(&self) -> String {
        let mut lines =
            vec![format!("\n### {}\n", self.title), format!("| | {} |", self.columns.join(" | "))];
        lines.push(format!("|---|{}", "---:|".repeat(self.columns.len())));
        for (name, row) in &self.rows {
            let cells: Vec<String> = row.iter().map(|figure| self.unit.written(*figure)).collect();
            lines.push(format!("| {name} | {} |", cells.join(" | ")));
        }
        lines.join("\n")
    }

    fn json(&self) -> Value {
        let row = |(name, row): &Row| {
            let figures: serde_json::Map<String, Value> =
                self.columns.iter().cloned().zip(row.iter().map(|figure| json!(figure))).collect();
            json!({ "row": name, "figures": figures })
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

impl Unit {
    fn written(self, figure: Option<f64>) -> String {
        match (self, figure) {
            (_, None) => "–".into(),
            (Unit::Ratio, Some(ratio)) if ratio < 10.0 => format!("{ratio:.2}"),
            (Unit::Ratio, Some(ratio)) => format!("{ratio:.0}"),
            (Unit::Time, Some(time)) if time < 1e3 => format!("{time:.0} ns"),
            (Unit::Time, Some(time)) if time < 1e6 => format!("{:.1} µs", time / 1e3),
            (Unit::Time, Some(time)) if time < 1e9 => format!("{:.1} ms", time / 1e6),
            (Unit::Time, Some(time)) => format!("{:.1} s", time / 1e9),
        }
    }
}

/// Prints what raced, and the tables.
pub(super) fn print(form: Form, racers: &[(String, String)], tables: &[Table]) {
    match form {
        Form::Json => {
            let racers: serde_json::Map<String, Value> =
                racers.iter().map(|(name, version)| (name.clone(), json!(version))).collect();
            println!(
                "{}",
                json!({ "racers": racers, "tables": tables.iter().map(Table::json).collect::<Vec<_>>() })
            );
        }
        Form::Text => {
            for (name, version) in racers {
                println!("* {name}: {version}");
            }
            for table in tables {
                println!("{}", table.markdown());
            }
        }
    }
}
