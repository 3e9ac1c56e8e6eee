//! Names of public types: no two of the workspace are the same.

use std::collections::BTreeMap;

use super::complaint::Complaint;
use super::repository::{Repository, is_published};
use super::rust::modules::DeclaredType;

/// Complains about each name that several public types have.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut by_name: BTreeMap<String, Vec<DeclaredType>> = BTreeMap::new();
    for (_, modules) in repository.packages.iter().filter(|(name, _)| is_published(name)) {
        for one in modules.public_types() {
            by_name.entry(one.name.clone()).or_default().push(one);
        }
    }
    by_name.into_values().flat_map(|types| repeated(&types)).collect()
}

/// A complaint about each type but the first: any of them may be renamed.
fn repeated(types: &[DeclaredType]) -> Vec<Complaint> {
    let Some((first, others)) = types.split_first() else { return Vec::new() };
    let message =
        |one: &DeclaredType| format!("{} is also the name of a public type in {}", one.name, first.file);
    others.iter().map(|one| Complaint::on_line(&one.file, one.line, message(one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::TextFile;

    #[test]
    fn a_shared_name_is_reported_once() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let repository = Repository::of(vec![
            file("crates/a/src/lib.rs", "mod m; pub use m::Item; pub struct A;"),
            file("crates/a/src/m.rs", "pub struct Item; pub struct Hidden;"),
            file("crates/b/src/lib.rs", "pub struct Hidden;\npub enum Item {}"),
        ]);
        let wanted = "crates/b/src/lib.rs:2: Item is also the name of a public type in crates/a/src/m.rs";
        let found: Vec<String> = check(&repository).iter().map(ToString::to_string).collect();
        assert_eq!(found, [wanted]);
    }
}
