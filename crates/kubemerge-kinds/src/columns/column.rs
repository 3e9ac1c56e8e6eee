//! One column of a built-in kind, and ages as kubectl prints them.

use super::cell::Cell;
use super::workload;

/// One column of a built-in kind.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct KindColumn {
    /// The title; empty if there is only a cell.
    pub name: &'static str,
    /// The type of its cells, such as `integer`.
    pub kind: &'static str,
    /// The format of its cells.
    pub format: &'static str,
    /// 0 for columns that are always shown.
    pub priority: i64,
    /// Where its cells come from.
    pub cell: Cell,
}

/// The name of the object.
pub const NAME: KindColumn = KindColumn::string("Name", Cell::Text("/metadata/name")).of_name();
/// When the object was created.
pub const CREATED_AT: KindColumn = KindColumn::date("Created At", Cell::Value("/metadata/creationTimestamp"));
pub(crate) const AGE: KindColumn =
    KindColumn::string("Age", Cell::Age("/metadata/creationTimestamp", "<unknown>"));
pub(crate) const CONTAINERS: KindColumn =
    KindColumn::string("Containers", Cell::Computed(workload::containers)).wide();
pub(crate) const IMAGES: KindColumn = KindColumn::string("Images", Cell::Computed(workload::images)).wide();
pub(crate) const POD_SELECTOR: KindColumn =
    KindColumn::string("Selector", Cell::Computed(workload::selector)).wide();

impl KindColumn {
    /// A column that is announced as texts, whatever its cells are.
    pub const fn string(name: &'static str, cell: Cell) -> KindColumn {
        KindColumn { name, kind: "string", format: "", priority: 0, cell }
    }

    /// A column of whole numbers.
    pub const fn integer(name: &'static str, cell: Cell) -> KindColumn {
        KindColumn { kind: "integer", ..KindColumn::string(name, cell) }
    }

    /// A column of booleans.
    pub const fn boolean(name: &'static str, cell: Cell) -> KindColumn {
        KindColumn { kind: "boolean", ..KindColumn::string(name, cell) }
    }

    /// A column of times.
    pub const fn date(name: &'static str, cell: Cell) -> KindColumn {
        KindColumn { kind: "date", ..KindColumn::string(name, cell) }
    }

    /// A column with the name of an object.
    pub const fn of_name(self) -> KindColumn {
        KindColumn { format: "name", ..self }
    }

    /// A column that is only shown to those who want many.
    pub const fn wide(self) -> KindColumn {
        KindColumn { priority: 1, ..self }
    }
}

/// A span of time in at most two units, as kubectl prints it.
pub(crate) fn age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let pair = |big: i64, big_unit: &str, small: i64, small_unit: &str| {
        let rest = seconds % big / small;
        if rest == 0 {
            format!("{}{big_unit}", seconds / big)
        } else {
            format!("{}{big_unit}{rest}{small_unit}", seconds / big)
        }
    };
    match seconds {
        ..-1 => "<invalid>".into(),
        // Clocks of two machines may differ by a second.
        -1 => "0s".into(),
        // Two minutes are still shown in seconds, and likewise at each step below.
        0..120 => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => pair(MINUTE, "m", 1, "s"),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => pair(HOUR, "h", MINUTE, "m"),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => pair(DAY, "d", HOUR, "h"),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => pair(YEAR, "y", DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_at_most_two_units() {
        let cases = [
            (0, "0s"),
            (97, "97s"),
            (330, "5m30s"),
            (300, "5m"),
            (7_200, "120m"),
            (12_000, "3h20m"),
            (100_000, "27h"),
            (270_000, "3d3h"),
            (86_400 * 10, "10d"),
            (86_400 * (3 * 365 + 20), "3y20d"),
            (86_400 * 365 * 9, "9y"),
            (-5, "<invalid>"),
        ];
        for (seconds, text) in cases {
            assert_eq!(age(seconds), text);
        }
    }
}
