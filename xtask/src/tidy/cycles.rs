//! Import cycles: how many files import each other in a circle.
//!
//! Counted over the top-level modules of each package, and over the files of each folder. The file of a
//! folder itself (`mod.rs`, or `lib.rs` at the top) counts as one of its files.

use std::collections::{BTreeMap, BTreeSet};

use super::complaint::Complaint;
use super::repository::Repository;
use super::rust::modules::{CrateModules, ModulePath};

/// A module and its parts may know each other; more than three in a circle have no order to read them in.
pub(crate) const MAX_CYCLE: usize = 3;

/// The modules of one folder that import each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cycle {
    pub(crate) folder: ModulePath,
    pub(crate) members: Vec<String>,
}

/// Complains about cycles that are too long.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, modules) in &repository.packages {
        for cycle in cycles(modules).into_iter().filter(|cycle| cycle.members.len() > MAX_CYCLE) {
            complaints.push(Complaint::new(name, describe(&cycle)));
        }
    }
    complaints
}

fn describe(cycle: &Cycle) -> String {
    let folder = if cycle.folder.is_empty() { "the crate root".to_owned() } else { cycle.folder.join("/") };
    let members = cycle.members.join(", ");
    format!("{} files of {folder} import each other in a circle: {members}", cycle.members.len())
}

/// One line per package: the longest cycle of top-level modules, and the longest in a folder below.
pub(crate) fn report(repository: &Repository) -> String {
    let mut text = format!("{:22} {:>4} {:>7}  longest cycle\n", "package", "top", "folders");
    for (name, modules) in &repository.packages {
        let all = cycles(modules);
        let longest = |is_top: bool| {
            let candidates = all.iter().filter(|cycle| cycle.folder.is_empty() == is_top);
            candidates.max_by_key(|cycle| cycle.members.len())
        };
        let length = |cycle: Option<&Cycle>| cycle.map_or(1, |cycle| cycle.members.len());
        let (top, below) = (longest(true), longest(false));
        let shown = all.iter().max_by_key(|cycle| cycle.members.len()).map(describe).unwrap_or_default();
        text.push_str(&format!("{name:22} {:>4} {:>7}  {shown}\n", length(top), length(below)));
    }
    text
}

/// Every cycle of more than one module, in each folder.
pub(crate) fn cycles(modules: &CrateModules) -> Vec<Cycle> {
    let mut graphs: BTreeMap<ModulePath, Graph> = BTreeMap::new();
    for reference in modules.references() {
        // An import counts in the folder that both modules are below.
        let shared = reference.from.iter().zip(&reference.to).take_while(|(from, to)| from == to).count();
        let folder = reference.from[..shared].to_vec();
        // The folder's own file has no name below the folder.
        let name = |path: &ModulePath| path.get(shared).map_or("mod", String::as_str).to_owned();
        graphs.entry(folder).or_default().add(name(&reference.from), name(&reference.to));
    }
    let found = graphs.into_iter().flat_map(|(folder, graph)| {
        graph.components().into_iter().map(move |members| Cycle { folder: folder.clone(), members })
    });
    found.collect()
}

#[derive(Default)]
struct Graph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    fn add(&mut self, from: String, to: String) {
        self.edges.entry(from).or_default().insert(to);
    }

    fn reachable<'g>(&'g self, start: &'g str) -> BTreeSet<&'g str> {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(name) = waiting.pop() {
            for next in self.edges.get(name).into_iter().flatten() {
                if seen.insert(next.as_str()) {
                    waiting.push(next);
                }
            }
        }
        seen
    }

    /// The strongly connected components of more than one module. Folders are small, so a search from
    /// every module is fast enough.
    fn components(&self) -> Vec<Vec<String>> {
        let reachable: BTreeMap<&str, BTreeSet<&str>> =
            self.edges.keys().map(|name| (name.as_str(), self.reachable(name))).collect();
        let mut components = BTreeSet::new();
        for (name, reached) in &reachable {
            let is_mutual = |other: &&&str| reachable.get(**other).is_some_and(|back| back.contains(name));
            let members: Vec<String> =
                reached.iter().filter(is_mutual).map(|one| (*one).to_owned()).collect();
            if members.len() > 1 {
                components.insert(members);
            }
        }
        components.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles_of(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let modules = CrateModules::read("src", files.iter().copied());
        cycles(&modules).into_iter().map(|one| (one.folder.join("/"), one.members.join(" "))).collect()
    }

    fn pair(folder: &str, members: &str) -> (String, String) {
        (folder.to_owned(), members.to_owned())
    }

    #[test]
    fn one_direction_is_no_cycle() {
        let files = [
            ("src/lib.rs", "mod a; mod b; mod c;"),
            ("src/a.rs", "use crate::b::B; use crate::c::C;"),
            ("src/b.rs", "use crate::c::C; pub struct B;"),
            ("src/c.rs", "pub struct C;"),
        ];
        assert_eq!(cycles_of(&files), []);
    }

    #[test]
    fn modules_in_a_circle_are_found() {
        let files = [
            ("src/lib.rs", "mod a; mod b; mod c; mod d;"),
            ("src/a.rs", "fn f() { crate::b::x::g() }"),
            ("src/b/mod.rs", "pub mod x;"),
            ("src/b/x.rs", "use crate::c::h; pub fn g() {}"),
            ("src/c.rs", "use crate::a::f; use crate::d::D; pub fn h() {}"),
            ("src/d.rs", "pub struct D;"),
        ];
        assert_eq!(cycles_of(&files), [pair("", "a b c")]);
    }

    #[test]
    fn a_folder_and_its_own_file_count() {
        let files = [
            ("src/lib.rs", "mod a;"),
            ("src/a/mod.rs", "mod x; mod y; pub struct Walk; fn f() { x::g(); y::g() }"),
            ("src/a/x.rs", "use super::Walk;"),
            ("src/a/y.rs", "use super::Walk;"),
        ];
        assert_eq!(cycles_of(&files), [pair("a", "mod x y")]);
    }

    #[test]
    fn tests_do_not_count() {
        let files = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b::B; pub struct A;"),
            ("src/b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert_eq!(cycles_of(&files), []);
    }
}
