//! The modules of a crate, and which module each path in them leads to.
//!
//! Re-exports are followed to the module that declares the item, so that an import through the crate root
//! counts as one from where the item is.

use std::collections::BTreeMap;

use super::source::{Import, PathUse, RustFile, Visibility};

/// The names from the crate root to a module; empty for the root.
pub(crate) type ModulePath = Vec<String>;

/// A module that uses something of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) from: ModulePath,
    pub(crate) to: ModulePath,
}

/// A public type and the module that declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeclaredType {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// The files of a crate, by module.
pub(crate) struct CrateModules {
    modules: BTreeMap<ModulePath, Module>,
}

struct Module {
    /// The path of the file in the repository.
    path: String,
    file: RustFile,
}

/// Re-exports of re-exports are followed this often: more than any real chain has.
const MAX_REEXPORTS: usize = 16;

impl CrateModules {
    /// Reads the files below a source folder, given as path in the repository and text.
    pub(crate) fn read<'f>(
        source_folder: &str,
        files: impl Iterator<Item = (&'f str, &'f str)>,
    ) -> CrateModules {
        let mut modules = BTreeMap::new();
        for (path, text) in files {
            let Some(inner) = path.strip_prefix(source_folder).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            if let Some(module) = module_path(inner) {
                // `lib.rs` comes before `main.rs`, which only calls it.
                let read = || Module { path: path.to_owned(), file: RustFile::parse(text) };
                modules.entry(module).or_insert_with(read);
            }
        }
        let mut all = CrateModules { modules };
        all.drop_test_modules();
        all
    }

    fn drop_test_modules(&mut self) {
        let mut tests: Vec<ModulePath> = Vec::new();
        for (path, module) in &self.modules {
            tests.extend(module.file.test_modules.iter().map(|name| child(path, name)));
        }
        self.modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
    }

    /// Every use of another module's items, without repetitions.
    pub(crate) fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        for (from, module) in &self.modules {
            let imports = module.file.imports.iter().filter(|import| !is_reexport(import));
            let targets = imports.filter_map(|import| self.imported(from, import));
            let used = module.file.paths.iter().filter_map(|one| self.used(from, module, one));
            for to in targets.chain(used).filter(|to| to != from) {
                found.push(Reference { from: from.clone(), to });
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The module that an import takes an item from; none for a module itself, whose uses count instead.
    fn imported(&self, from: &ModulePath, import: &Import) -> Option<ModulePath> {
        let around = below(from, &import.inside);
        let target = self.resolve(&around, &import.path, 0)?;
        (target.item.is_some() || import.name == "*").then_some(target.module)
    }

    fn used(&self, from: &ModulePath, module: &Module, one: &PathUse) -> Option<ModulePath> {
        let around = below(from, &one.inside);
        // `lookup::find` after `use crate::lookup` means `crate::lookup::find`.
        let imported = module.file.imports.iter().find(|import| import.name == one.path[0]);
        let path = match imported {
            Some(import) => [import.path.as_slice(), &one.path[1..]].concat(),
            None => one.path.clone(),
        };
        self.resolve(&around, &path, 0).map(|target| target.module)
    }

    /// Where a path leads; none outside the crate.
    fn resolve(&self, from: &[String], path: &[String], reexports: usize) -> Option<Target> {
        let (mut module, rest) = self.start(from, path)?;
        let mut rest = rest.iter();
        for name in rest.by_ref() {
            let next = child(&module, name);
            if self.modules.contains_key(&next) {
                module = next;
            } else {
                return self.item(module, name, reexports);
            }
        }
        Some(Target { module, item: None })
    }

    /// The module that a path starts from, and the names after it.
    fn start<'n>(&self, from: &[String], path: &'n [String]) -> Option<(ModulePath, &'n [String])> {
        let mut module = from.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                module.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {}
            name if self.modules.contains_key(&child(&module, name)) => {}
            _ => return None,
        }
        while rest.first().is_some_and(|name| name == "super") {
            module.pop()?;
            rest = &rest[1..];
        }
        // Inline modules belong to their file.
        while !self.modules.contains_key(&module) {
            module.pop()?;
        }
        Some((module, rest))
    }

    fn item(&self, module: ModulePath, name: &str, reexports: usize) -> Option<Target> {
        let imports = &self.modules.get(&module)?.file.imports;
        let named = imports.iter().find(|import| import.name == name && import.inside.is_empty());
        match named {
            Some(import) if reexports < MAX_REEXPORTS => self.resolve(&module, &import.path, reexports + 1),
            _ => Some(Target { module, item: Some(name.to_owned()) }),
        }
    }

    /// The types that users of the crate can name.
    pub(crate) fn public_types(&self) -> Vec<DeclaredType> {
        let mut found = Vec::new();
        self.collect_public(&ModulePath::new(), 0, &mut found);
        found.sort();
        found.dedup();
        found
    }

    fn collect_public(&self, path: &ModulePath, depth: usize, found: &mut Vec<DeclaredType>) {
        let Some(module) = self.modules.get(path).filter(|_| depth < MAX_REEXPORTS) else { return };
        found.extend(module.types(|_| true));
        for submodule in module.file.submodules.iter().filter(|one| one.visibility == Visibility::Public) {
            self.collect_public(&child(path, &submodule.name), depth + 1, found);
        }
        for import in module.file.imports.iter().filter(|import| import.visibility == Visibility::Public) {
            match self.resolve(path, &import.path, 0) {
                Some(Target { module, item: None }) => self.collect_public(&module, depth + 1, found),
                Some(Target { module, item: Some(item) }) => {
                    found.extend(self.modules[&module].types(|name| name == item));
                }
                None => {}
            }
        }
    }
}

impl Module {
    fn types(&self, wanted: impl Fn(&str) -> bool) -> Vec<DeclaredType> {
        let declared = self.file.types.iter().filter(|one| wanted(&one.name));
        declared
            .map(|one| DeclaredType { name: one.name.clone(), file: self.path.clone(), line: one.line })
            .collect()
    }
}

struct Target {
    module: ModulePath,
    /// The item in the module; none for the module itself.
    item: Option<String>,
}

/// A `pub use` tells where an item is and uses nothing of it.
fn is_reexport(import: &Import) -> bool {
    import.visibility != Visibility::Private
}

fn child(module: &[String], name: &str) -> ModulePath {
    [module, &[name.to_owned()]].concat()
}

fn below(module: &[String], inside: &[String]) -> ModulePath {
    [module, inside].concat()
}

/// The module of a file below `src/`; none for other binaries' files and build scripts.
fn module_path(inner: &str) -> Option<ModulePath> {
    let stem = inner.strip_suffix(".rs")?;
    let mut path: ModulePath = stem.split('/').map(str::to_owned).collect();
    match path.last()?.as_str() {
        "mod" => {
            path.pop();
        }
        "lib" | "main" if path.len() == 1 => path.clear(),
        _ => {}
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(files: &[(&str, &str)]) -> Vec<String> {
        let modules = CrateModules::read("src", files.iter().copied());
        let shown = |path: &ModulePath| path.join("::");
        modules.references().iter().map(|one| format!("{}>{}", shown(&one.from), shown(&one.to))).collect()
    }

    #[test]
    fn reexports_lead_to_the_module_that_declares() {
        let files = [
            ("src/lib.rs", "mod a; mod b; pub use b::inner::Thing;"),
            ("src/a.rs", "use crate::Thing; fn f() { super::b::inner::g() }"),
            ("src/b/mod.rs", "pub(crate) mod inner; pub(crate) use inner::Thing;"),
            ("src/b/inner.rs", "use serde_json::Value; pub struct Thing; pub fn g() {}"),
        ];
        assert_eq!(references(&files), ["a>b::inner"]);
    }

    #[test]
    fn an_imported_module_counts_by_what_is_used_of_it() {
        let files = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b::{self, c}; fn f() { b::g(); c::h() }"),
            ("src/b/mod.rs", "pub(crate) mod c; pub(crate) fn g() {}"),
            ("src/b/c.rs", "pub(crate) fn h() {} #[cfg(test)] mod tests { use crate::a::f; }"),
        ];
        assert_eq!(references(&files), ["a>b", "a>b::c"]);
    }

    #[test]
    fn public_types_are_those_that_users_can_name() {
        let files = [
            ("src/lib.rs", "mod a; pub mod b; pub use a::A; pub struct Root;"),
            ("src/a.rs", "pub struct A; pub struct Hidden;"),
            ("src/b.rs", "pub enum B {} pub(crate) struct C;"),
        ];
        let modules = CrateModules::read("src", files.iter().copied());
        let names: Vec<String> = modules.public_types().into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["A", "B", "Root"]);
    }
}
