//! What one Rust file declares and refers to: modules, imports, paths, public types, constants.

use super::lexer::{Token, TokenKind, tokens, without_tests};

/// Who can name an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Private,
    /// `pub(crate)` and its like.
    Restricted,
    Public,
}

/// A `mod name;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Submodule {
    pub(crate) name: String,
    pub(crate) visibility: Visibility,
}

/// One name that a `use` brings in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// Inline modules around the `use`.
    pub(crate) inside: Vec<String>,
    pub(crate) path: Vec<String>,
    /// The name in this file; `*` for all names.
    pub(crate) name: String,
    pub(crate) visibility: Visibility,
}

/// A path in code, such as `crate::model::Node` or `lookup::find`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathUse {
    pub(crate) inside: Vec<String>,
    pub(crate) path: Vec<String>,
}

/// A type that is declared `pub`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicType {
    pub(crate) line: usize,
    pub(crate) name: String,
}

/// What a file declares and refers to, outside its tests.
#[derive(Debug, Default)]
pub(crate) struct RustFile {
    pub(crate) submodules: Vec<Submodule>,
    /// Modules that only tests compile.
    pub(crate) test_modules: Vec<String>,
    pub(crate) imports: Vec<Import>,
    pub(crate) paths: Vec<PathUse>,
    pub(crate) types: Vec<PublicType>,
}

impl RustFile {
    pub(crate) fn parse(text: &str) -> RustFile {
        let all = tokens(text);
        let (kept, test_modules) = without_tests(&all);
        let test_modules = test_modules.into_iter().map(str::to_owned).collect();
        let mut parser = Parser {
            tokens: &kept,
            at: 0,
            depth: 0,
            inside: Vec::new(),
            file: RustFile { test_modules, ..RustFile::default() },
        };
        parser.run();
        parser.file
    }
}

struct Parser<'p, 't> {
    tokens: &'p [Token<'t>],
    at: usize,
    /// Open braces.
    depth: usize,
    /// Inline modules, each with the number of braces outside it.
    inside: Vec<(usize, String)>,
    file: RustFile,
}

impl<'t> Parser<'_, 't> {
    fn run(&mut self) {
        let mut visibility = Visibility::Private;
        while let Some(token) = self.tokens.get(self.at).copied() {
            // `pub` counts for the next word only.
            let declared = std::mem::replace(&mut visibility, Visibility::Private);
            match token.kind {
                TokenKind::Word("pub") => visibility = self.visibility(),
                TokenKind::Word("mod") => self.module(declared),
                TokenKind::Word("use") => self.import(declared),
                TokenKind::Word("struct" | "enum" | "trait" | "type" | "union") => self.type_item(declared),
                // `pub unsafe trait`: the visibility is that of what follows.
                TokenKind::Word("unsafe" | "auto") => {
                    visibility = declared;
                    self.at += 1;
                }
                TokenKind::Word(_) => self.path(),
                TokenKind::PathSeparator => self.skip_path_end(),
                TokenKind::Symbol(symbol) => self.symbol(symbol),
                TokenKind::Text(_) => self.at += 1,
            }
        }
    }

    fn word(&self, ahead: usize) -> Option<&'t str> {
        self.tokens.get(self.at + ahead)?.word()
    }

    fn is(&self, ahead: usize, symbol: char) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.is(symbol))
    }

    fn is_separator(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.kind == TokenKind::PathSeparator)
    }

    fn modules_around(&self) -> Vec<String> {
        self.inside.iter().map(|(_, name)| name.clone()).collect()
    }

    fn symbol(&mut self, symbol: char) {
        self.at += 1;
        match symbol {
            '{' => self.depth += 1,
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                // The brace may close an inline module.
                self.inside.retain(|(outside, _)| *outside < self.depth);
            }
            _ => {}
        }
    }

    /// `pub`, or `pub(…)`.
    fn visibility(&mut self) -> Visibility {
        self.at += 1;
        if !self.is(0, '(') {
            return Visibility::Public;
        }
        while self.at < self.tokens.len() && !self.is(0, ')') {
            self.at += 1;
        }
        self.at += 1;
        Visibility::Restricted
    }

    fn module(&mut self, visibility: Visibility) {
        if let Some(name) = self.word(1) {
            // Inline modules have no files below them here.
            if self.is(2, ';') && self.inside.is_empty() {
                self.file.submodules.push(Submodule { name: name.to_owned(), visibility });
            } else if self.is(2, '{') {
                self.inside.push((self.depth, name.to_owned()));
                self.at += 2;
                return;
            }
        }
        self.at += 1;
    }

    fn type_item(&mut self, visibility: Visibility) {
        if let (Visibility::Public, Some(name)) = (visibility, self.word(1)) {
            let line = self.tokens[self.at].line;
            self.file.types.push(PublicType { line, name: name.to_owned() });
        }
        self.at += 1;
    }

    /// A path of at least two names.
    fn path(&mut self) {
        let mut path = Vec::new();
        while let Some(word) = self.word(0) {
            path.push(word.to_owned());
            self.at += 1;
            if !self.is_separator(0) || self.word(1).is_none() {
                break;
            }
            self.at += 1;
        }
        if path.len() > 1 {
            self.file.paths.push(PathUse { inside: self.modules_around(), path });
        }
    }

    /// `::name` after a closing bracket or a generic argument names nothing new.
    fn skip_path_end(&mut self) {
        self.at += 1;
        while self.word(0).is_some() && self.is_separator(1) {
            self.at += 2;
        }
        if self.word(0).is_some() {
            self.at += 1;
        }
    }

    fn import(&mut self, visibility: Visibility) {
        self.at += 1;
        if self.is_separator(0) {
            self.at += 1;
        }
        self.tree(Vec::new(), visibility);
    }

    /// One branch of a `use`: a path that ends in a name, a glob or a list of branches.
    fn tree(&mut self, mut path: Vec<String>, visibility: Visibility) {
        while let Some(word) = self.word(0) {
            path.push(word.to_owned());
            self.at += 1;
            if !self.is_separator(0) {
                return self.leaf(path, visibility);
            }
            self.at += 1;
        }
        if self.is(0, '*') {
            self.at += 1;
            self.add_import(path, "*".to_owned(), visibility);
        } else if self.is(0, '{') {
            self.at += 1;
            while self.at < self.tokens.len() && !self.is(0, '}') {
                self.tree(path.clone(), visibility);
                if self.is(0, ',') {
                    self.at += 1;
                }
            }
            self.at += 1;
        } else {
            // Not a `use` as Rust has it (a macro's argument, say): go on after it.
            self.at += 1;
        }
    }

    fn leaf(&mut self, mut path: Vec<String>, visibility: Visibility) {
        // `use a::{self}` brings in `a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if self.word(0) == Some("as") {
            name = self.word(1).unwrap_or("_").to_owned();
            self.at += 2;
        }
        self.add_import(path, name, visibility);
    }

    fn add_import(&mut self, path: Vec<String>, name: String, visibility: Visibility) {
        self.file.imports.push(Import { inside: self.modules_around(), path, name, visibility });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_taken_apart() {
        let file = RustFile::parse("pub(crate) use a::{b, c::{self, d as e}, f::*};");
        let found: Vec<(String, &str)> =
            file.imports.iter().map(|import| (import.path.join("::"), import.name.as_str())).collect();
        let wanted = [("a::b", "b"), ("a::c", "c"), ("a::c::d", "e"), ("a::f", "*")];
        assert_eq!(found, wanted.map(|(path, name)| (path.to_owned(), name)));
        assert!(file.imports.iter().all(|import| import.visibility == Visibility::Restricted));
    }

    #[test]
    fn paths_know_the_inline_modules_around_them() {
        let file = RustFile::parse("mod m { fn f() { super::g::h() } } fn k() { l::n::<u8>() }");
        let found: Vec<(String, String)> =
            file.paths.iter().map(|one| (one.inside.join("::"), one.path.join("::"))).collect();
        assert_eq!(found, [("m", "super::g::h"), ("", "l::n")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn only_public_types_are_listed() {
        let file = RustFile::parse("pub struct A; struct B; pub(crate) enum C {} pub unsafe trait D {}");
        let names: Vec<&str> = file.types.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["A", "D"]);
    }
}
