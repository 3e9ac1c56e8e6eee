//! The declarations of a Go package, and which of them others lead to.
//!
//! gofmt's layout is enough of a parser: a declaration starts and ends at the first column.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// A declaration without its comments.
struct Declaration {
    /// The name of the file in the package.
    file: String,
    text: String,
}

/// A package, by the names that it declares. Methods have the name of their type.
#[derive(Default)]
pub(super) struct Package {
    declarations: Vec<Declaration>,
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Package {
    /// Reads the Go files of a folder that matter; empty if there is no folder.
    pub(super) fn read(folder: &Path) -> io::Result<Package> {
        let mut package = Package::default();
        if !folder.is_dir() {
            return Ok(package);
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.is_file() && decides(&name) {
                package.add(&name, &fs::read_to_string(&path)?);
            }
        }
        Ok(package)
    }

    fn add(&mut self, file: &str, text: &str) {
        let mut current: Option<(Vec<String>, String)> = None;
        let mut is_group = false;
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if let Some((names, body)) = &mut current {
                body.push_str(line.trim());
                body.push('\n');
                names.extend(name_in_group(line).filter(|_| is_group));
                if line.starts_with(['}', ')']) {
                    self.finish(file, current.take());
                }
            } else if let Some(names) = declared(line) {
                // A group of constants or variables declares a name a line.
                is_group = names.is_empty();
                current = Some((names, format!("{}\n", line.trim())));
                if !line.ends_with(['{', '(']) {
                    self.finish(file, current.take());
                }
            }
        }
        self.finish(file, current);
    }

    fn finish(&mut self, file: &str, declaration: Option<(Vec<String>, String)>) {
        let Some((names, text)) = declaration else { return };
        for name in names {
            self.by_name.entry(name).or_default().push(self.declarations.len());
        }
        self.declarations.push(Declaration { file: file.to_owned(), text });
    }

    /// The text of all declarations that those with a wanted name lead to, by file.
    pub(super) fn reached(&self, is_root: impl Fn(&str) -> bool) -> BTreeMap<&str, String> {
        let mut waiting: Vec<usize> = self
            .by_name
            .iter()
            .filter(|(name, _)| is_root(name))
            .flat_map(|(_, places)| places.clone())
            .collect();
        let mut found = BTreeSet::new();
        while let Some(place) = waiting.pop() {
            let Some(declaration) = self.declarations.get(place).filter(|_| found.insert(place)) else {
                continue;
            };
            let words = declaration.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            waiting.extend(words.filter_map(|word| self.by_name.get(word)).flatten());
        }
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        let mut reached: Vec<&Declaration> =
            found.iter().filter_map(|place| self.declarations.get(*place)).collect();
        // Moved in its file, a declaration says the same.
        reached.sort_by(|one, other| (&one.file, &one.text).cmp(&(&other.file, &other.text)));
        for declaration in reached {
            texts.entry(&declaration.file).or_default().push_str(&declaration.text);
        }
        texts
    }
}

/// Tests, copies of types and conversions of fields with equal names decide nothing.
fn decides(file: &str) -> bool {
    let is_copy = ["zz_generated.deepcopy", "zz_generated.conversion", "zz_generated.model_name"];
    file.ends_with(".go")
        && !file.ends_with("_test.go")
        && !is_copy.iter().any(|start| file.starts_with(start))
}

/// The names that a line at the first column declares; none if it starts no declaration.
fn declared(line: &str) -> Option<Vec<String>> {
    let (word, rest) = line.split_once(' ')?;
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        vec![text[..end].to_owned()]
    };
    match word {
        "func" if rest.starts_with('(') => {
            let receiver = rest.split(')').next()?.rsplit([' ', '*', '(']).next()?;
            Some(name(receiver))
        }
        "func" | "type" | "var" | "const" if !rest.starts_with('(') => Some(name(rest)),
        "var" | "const" => Some(Vec::new()),
        _ => None,
    }
}

/// The name that a line in a group of constants or variables declares.
fn name_in_group(line: &str) -> Option<String> {
    let inner = line.strip_prefix('\t')?;
    let end = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
    (end > 0).then(|| inner[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(text: &str) -> Package {
        let mut package = Package::default();
        package.add("a.go", text);
        package
    }

    const TEXT: &str = "package a\n\n// Pod is one.\ntype Pod struct {\n\tSpec PodSpec\n}\n\ntype PodSpec struct {\n\tName string\n}\n\n\
                        const (\n\tMaxPods = 3\n)\n\nfunc (p *Pod) Size() int {\n\treturn MaxPods\n}\n\nfunc Other() {}\n";

    #[test]
    fn what_a_declaration_names_is_reached() {
        let package = package(TEXT);
        let texts = package.reached(|name| name == "Pod");
        let text = &texts["a.go"];
        assert!(["type PodSpec", "MaxPods = 3", "Size()"].iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("Other") && !text.contains("is one"), "{text}");
        assert!(package.reached(|name| name == "Node").is_empty());
    }

    #[test]
    fn comments_and_the_order_of_declarations_do_not_count() {
        let moved = TEXT.replace("// Pod is one.", "// Pod.").replace("func Other() {}\n", "");
        let moved = format!("package a\n\nfunc Other() {{}}\n{}", moved.replace("package a\n", ""));
        let both = [TEXT.to_owned(), moved].map(|text| {
            let package = package(&text);
            package.reached(|name| name == "Pod")["a.go"].clone()
        });
        assert_eq!(both[0], both[1]);
    }
}
