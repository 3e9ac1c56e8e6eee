//! Columns of text, aligned.

use std::fmt;

use crate::report::sanitize;

/// The widest column; a longer cell is not aligned.
const MAX_COLUMN_WIDTH: usize = 200;

/// Rows of cells; the first row is the heading.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: &[impl AsRef<str>]) -> Table {
        Table { rows: vec![headings.iter().map(|heading| heading.as_ref().to_owned()).collect()] }
    }

    /// Adds a row; an empty cell is shown as `-`.
    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        // An empty cell would shift columns for tools that split on blanks.
        let shown = |cell: &str| if cell.is_empty() { "-".to_owned() } else { sanitize(cell).into_owned() };
        self.rows.push(cells.iter().map(|cell| shown(cell.as_ref())).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        // One long cell must not push all others to the right.
        (0..columns).map(|column| width(column).unwrap_or(0).min(MAX_COLUMN_WIDTH)).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cell_does_not_widen_its_column() {
        let mut table = Table::new(&["A", "B"]);
        table.row(&["x".repeat(100_000), "y".to_owned()]);
        let text = table.to_string();
        assert_eq!(text.lines().next().unwrap().len(), MAX_COLUMN_WIDTH + 3);
        assert!(text.ends_with("x  y\n"));
    }
}
