//! The categories and scripts of Unicode as Go knows them: kube-apiserver matches patterns with its tables.
//!
//! They are read from the sources of Go's package `unicode`. A line of the table is a name that `\p{…}` finds, its other
//! names, and after a tab its characters (`crates/kubemerge-schema/src/pattern/unicode.rs` reads them).

use std::{collections::BTreeMap, error::Error, fmt::Write, fs, path::PathBuf, process::Command};

/// A line for each category of two letters and each script, sorted; categories of one letter are made of those.
pub(super) fn table() -> Result<String, Box<dyn Error>> {
    let output = Command::new("go").args(["env", "GOROOT"]).output()?;
    let path = PathBuf::from(String::from_utf8(output.stdout)?.trim()).join("src/unicode/tables.go");
    let source = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let aliases = entries(&source, "CategoryAliases");
    let mut table = String::new();
    for name in entries(&source, "Categories").into_keys().filter(|name| name.len() == 1 || *name == "LC") {
        writeln!(table, "{name}{}", other_names(name, &aliases))?;
    }
    for name in entries(&source, "Categories").into_keys().filter(|name| name.len() == 2 && *name != "LC") {
        writeln!(table, "{name}{}\t{}", other_names(name, &aliases), ranges(&source, name)?)?;
    }
    // Go compares names without what separates words, so it finds no script whose name has such a sign.
    for name in entries(&source, "Scripts").into_keys().filter(|name| !name.contains('_')) {
        writeln!(table, "{name}\t{}", ranges(&source, name)?)?;
    }
    Ok(table)
}

/// The entries of a map in the source: a name and a value each.
fn entries<'s>(source: &'s str, map: &str) -> BTreeMap<&'s str, &'s str> {
    let start = format!("var {map} = map[string]");
    let lines = source.lines().skip_while(|line| !line.starts_with(&start)).skip(1);
    lines
        .take_while(|line| *line != "}")
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(':'))
        .map(|(name, value)| (name.trim_matches('"'), value.trim().trim_matches('"')))
        .collect()
}

fn other_names(name: &str, aliases: &BTreeMap<&str, &str>) -> String {
    let names = aliases.iter().filter(|(_, of)| **of == name);
    names.map(|(alias, _)| format!(" {}", alias.replace('_', ""))).collect()
}

/// The characters of a table of Go: for each range, in hexadecimal, how far it is from the one before, and with a plus how many
/// characters follow its first one.
fn ranges(source: &str, name: &str) -> Result<String, Box<dyn Error>> {
    let start = format!("var _{name} = &RangeTable{{");
    let lines = source.lines().skip_while(|line| !line.starts_with(&start)).skip(1);
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines.take_while(|line| *line != "}").filter(|line| line.trim().starts_with("{0x")) {
        let (low, high, stride) = range(line).ok_or_else(|| format!("{name}: {line}"))?;
        for code in (low..=high).step_by(stride) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                _ => ranges.push((code, code)),
            }
        }
    }
    if ranges.is_empty() { Err(format!("Go has no table {name}").into()) } else { Ok(text_of(&ranges)) }
}

/// `{0x1c5, 0x1cb, 3}`: the first and the last character, and the distance between two.
fn range(line: &str) -> Option<(u32, u32, usize)> {
    let (low, rest) = line.trim().trim_matches(['{', '}', ',']).split_once(", ")?;
    let (high, stride) = rest.split_once(", ")?;
    let code = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    Some((code(low)?, code(high)?, stride.trim_end_matches([',', '}']).parse().ok()?))
}

fn text_of(ranges: &[(u32, u32)]) -> String {
    let mut next = 0;
    let text = ranges.iter().map(|&(low, high)| {
        let distance = low - next;
        next = high + 1;
        if low == high { format!("{distance:x}") } else { format!("{distance:x}+{:x}", high - low) }
    });
    text.collect::<Vec<_>>().join(" ")
}
