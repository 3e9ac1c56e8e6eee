//! JSON patch (RFC 6902) as the API server applies it.
//!
//! [`apply`] reads the operations (`operation`), runs them one by one over a working tree (`tree`), and makes
//! the edited tree a node again. Where Kubernetes differs from the RFC, Kubernetes is followed: negative
//! indices count from the end, `replace` adds a missing member, `copy` of a missing member adds a null, and a
//! `test` for null holds where there is nothing.

mod compare;
mod copy_size;
mod operation;
mod pointer;
mod sequence;
mod tree;

use crate::error::{Error, ErrorKind};
use copy_size::CopySizes;
use kubemerge_value::{Arena, Document, Kind, MAX_DEPTH, Node, Str, to_bytes, to_canonical};
use operation::{Operand, Operation};
use pointer::{NoIndex, Pointer};
use tree::{Part, Slot, Spelling, Tree};

/// How many operations a JSON patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// How many bytes the `copy` operations of one JSON patch may add.
pub const MAX_COPY_BYTES: usize = 3 * 1024 * 1024;

/// Applies a list of operations; `patch_depth` is how deep it is nested at most.
pub(crate) fn apply<'a>(
    live: Node<'a>,
    patch: Node<'a>,
    patch_depth: usize,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let operations = operation::read(patch, arena)?;
    let mut run = Run::new(live, patch_depth, arena);
    for (at, operation) in operations.iter().enumerate() {
        run.operate(operation).map_err(|fault| fault.at(at))?;
    }
    run.finish().map_err(|fault| fault.at(operations.len().saturating_sub(1)))
}

/// Why an operation does not apply.
#[derive(Debug)]
struct Fault {
    message: String,
    hint: Option<String>,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Fault { hint: Some(hint.into()), ..self }
    }

    /// The same fault, told by the operation that met it.
    fn within(self, context: impl std::fmt::Display) -> Self {
        Fault { message: format!("{context}: {}", self.message), ..self }
    }

    fn at(self, operation: usize) -> Error {
        let error = Error::new(ErrorKind::JsonPatchFailed, format!("[{operation}]"), self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

const MISSING: &str = "missing value";
/// Longer values are not shown in a hint.
const LONGEST_HINT: usize = 200;
const ADD_PARENT: &str = "add the parent first";

/// A document with the operations that have run.
struct Run<'a> {
    tree: Tree<'a>,
    root: Part,
    copied_bytes: usize,
    copy_sizes: CopySizes,
    patch_depth: usize,
    /// How much deeper than allowed moves and copies may have made the document.
    excess: usize,
}

/// So much `excess` is looked into at once. It bounds the depth that a run can reach, and the longest patch
/// makes this happen a few times only.
const EXCESS_BEFORE_CHECK: usize = 100_000;

/// The member or element that a pointer names.
struct Target<'a> {
    container: Part,
    key: &'a str,
    /// How many members and indices lead there.
    level: usize,
}

impl<'a> Run<'a> {
    fn new(live: Node<'a>, patch_depth: usize, arena: &'a Arena) -> Self {
        let mut tree = Tree::new(arena);
        let root = tree.part(Slot::Closed(live, Spelling::Given));
        tree.open(root);
        Run { tree, root, copied_bytes: 0, copy_sizes: CopySizes::default(), patch_depth, excess: 0 }
    }

    fn operate(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        match operation.op.unwrap_or("unknown") {
            "add" => self.add(operation),
            "remove" => self.remove(operation),
            "replace" => self.replace(operation),
            "move" => self.move_(operation),
            "test" => self.test(operation),
            "copy" => self.copy(operation),
            unknown => Err(Fault::new(format!("Unexpected kind: {unknown}"))
                .with_hint("operations are add, remove, replace, move, copy and test")),
        }
    }

    fn add(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let path = operation
            .path
            .ok_or_else(|| Fault::new(format!("add operation failed to decode path: {MISSING}")))?;
        let target = self.find(path).ok_or_else(|| {
            Fault::new(format!("add operation does not apply: doc is missing path: \"{path}\": {MISSING}"))
                .with_hint(ADD_PARENT)
        })?;
        let value = self.operand(operation.value);
        self.reach(target.level + self.patch_depth)?;
        self.insert(&target, value)
            .map_err(|fault| fault.within(format_args!("error in add for path: '{path}'")))
    }

    fn remove(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let path = operation
            .path
            .ok_or_else(|| Fault::new(format!("remove operation failed to decode path: {MISSING}")))?;
        let target = self.find(path).ok_or_else(|| {
            Fault::new(format!("remove operation does not apply: doc is missing path: \"{path}\": {MISSING}"))
        })?;
        self.take(&target).map_err(|fault| fault.within(format_args!("error in remove for path: '{path}'")))
    }

    fn replace(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let path = required_path(operation, "replace")?;
        if path.is_empty() {
            return self.replace_root(operation.value);
        }
        let missing = |what: &str| {
            Fault::new(format!("replace operation does not apply: doc is missing {what}: {path}: {MISSING}"))
        };
        let target = self.find(path).ok_or_else(|| missing("path").with_hint(ADD_PARENT))?;
        self.get(&target).map_err(|_| missing("key"))?;
        let value = self.operand(operation.value);
        self.reach(target.level + self.patch_depth)?;
        self.set(&target, value)
            .map_err(|fault| fault.within(format_args!("error in remove for path: '{path}'")))
    }

    fn replace_root(&mut self, operand: Operand<'a>) -> Result<(), Fault> {
        match operand {
            Operand::Value(node) if matches!(node.kind(), Kind::Map | Kind::List) => {
                self.root = self.operand(operand);
                self.tree.open(self.root);
                Ok(())
            }
            Operand::Absent => Err(Fault::new("replace operation value must be object or array")
                .with_hint("the operation has no value: Kubernetes' API server crashes on it")),
            // Upstream: this is how its message ends. Case `replace the document with a scalar`.
            _ => Err(Fault::new("replace operation value must be object or array: %!w(<nil>)")),
        }
    }

    fn move_(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let from = required_from(operation, "move")?;
        let source = self.find(from).ok_or_else(|| {
            Fault::new(format!("move operation does not apply: doc is missing from path: {from}: {MISSING}"))
        })?;
        let in_move =
            |fault: Fault, place: &str| fault.within(format_args!("error in move for path: '{place}'"));
        let found = self.get(&source).map_err(|fault| in_move(fault, source.key))?;
        self.take(&source).map_err(|fault| in_move(fault, source.key))?;
        let path = required_path(operation, "move")?;
        let target = self.find(path).ok_or_else(|| {
            Fault::new(format!(
                "move operation does not apply: doc is missing destination path: {path}: {MISSING}"
            ))
            .with_hint(ADD_PARENT)
        })?;
        let value = self.or_null(found);
        self.rise(target.level)?;
        self.insert(&target, value).map_err(|fault| in_move(fault, path))
    }

    fn copy(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let from = required_from(operation, "copy")?;
        let source = self.find(from).ok_or_else(|| {
            Fault::new(format!("copy operation does not apply: doc is missing from path: {from}: {MISSING}"))
        })?;
        let found = self
            .get(&source)
            .map_err(|fault| fault.within(format_args!("error in copy for from: '{from}'")))?;
        let path = operation
            .path
            .ok_or_else(|| Fault::new(format!("copy operation failed to decode path: {MISSING}")))?;
        let target = self.find(path).ok_or_else(|| {
            Fault::new(format!(
                "copy operation does not apply: doc is missing destination path: {path}: {MISSING}"
            ))
            .with_hint(ADD_PARENT)
        })?;
        let copy = self.duplicate(found)?;
        self.rise(target.level)?;
        self.insert(&target, copy).map_err(|fault| fault.within("error while adding value during copy"))
    }

    fn test(&mut self, operation: &Operation<'a>) -> Result<(), Fault> {
        let path = required_path(operation, "test")?;
        let found = if path.is_empty() {
            Some(self.root)
        } else {
            let target = self.find(path).ok_or_else(|| {
                Fault::new(format!("test operation does not apply: is missing path: {path}: {MISSING}"))
            })?;
            self.get(&target)
                .map_err(|fault| fault.within(format_args!("error in test for path: '{path}'")))?
        };
        if self.tree.passes(found, operation.value)? {
            return Ok(());
        }
        let fault = Fault::new(format!("testing value {path} failed: test failed"));
        Err(fault.with_hint(self.what_is_there(found)))
    }

    /// What a failed test found.
    fn what_is_there(&self, found: Option<Part>) -> String {
        let Some(part) = found else { return "there is no value".to_owned() };
        let text = to_canonical(self.tree.node(part)).into_bytes();
        if text.len() > LONGEST_HINT {
            return format!("the value there has {} bytes", text.len());
        }
        format!("the value there is {}", String::from_utf8_lossy(&text))
    }

    /// Follows a pointer to the container of what it names.
    fn find(&mut self, pointer: &'a str) -> Option<Target<'a>> {
        let Pointer { parents, key } = pointer::split(pointer, self.tree.arena)?;
        let level = parents.len() + 1;
        let mut container = self.root;
        for parent in parents {
            let next = self.get(&Target { container, key: parent, level: 0 }).ok()??;
            match self.tree.open(next) {
                Slot::Map(_) | Slot::List(_) | Slot::CopiedNull => container = next,
                Slot::Closed(..) | Slot::GivenNull => return None,
            }
        }
        Some(Target { container, key, level })
    }

    /// What stands in a container; `None` for nothing, and for a null of the document.
    fn get(&mut self, target: &Target<'a>) -> Result<Option<Part>, Fault> {
        let found = match self.tree.slot(target.container) {
            Slot::List(open) => {
                let at = existing_index(target.key, open.len())?;
                self.tree.element(target.container, at)
            }
            _ => self.tree.member(target.container, Str::plain(target.key)),
        };
        Ok(found.filter(|part| !self.tree.is_null(*part)))
    }

    /// Gives an existing element, or a member, another value.
    fn set(&mut self, target: &Target<'a>, value: Part) -> Result<(), Fault> {
        match self.tree.slot(target.container) {
            Slot::List(open) => {
                let at = existing_index(target.key, open.len())?;
                self.tree.set_element(target.container, at, value);
                Ok(())
            }
            _ => self.put_member(target, value),
        }
    }

    /// Adds a member or inserts an element.
    fn insert(&mut self, target: &Target<'a>, value: Part) -> Result<(), Fault> {
        let Slot::List(open) = self.tree.slot(target.container) else {
            return self.put_member(target, value);
        };
        let length = open.len();
        let at = match target.key {
            "-" => length,
            key => existing_index(key, length + 1).map_err(|fault| not_an_index(fault, key))?,
        };
        self.tree.insert_element(target.container, at, value);
        Ok(())
    }

    fn put_member(&mut self, target: &Target<'a>, value: Part) -> Result<(), Fault> {
        if let Slot::CopiedNull = self.tree.slot(target.container) {
            return Err(Fault::new("the parent is a copy of a null")
                .with_hint("Kubernetes' API server crashes on it: add an object there first"));
        }
        self.tree.put_member(target.container, Str::plain(target.key), value);
        Ok(())
    }

    /// Removes a member or an element.
    fn take(&mut self, target: &Target<'a>) -> Result<(), Fault> {
        if let Slot::List(open) = self.tree.slot(target.container) {
            let at = existing_index(target.key, open.len())?;
            self.tree.remove_element(target.container, at);
            return Ok(());
        }
        if self.tree.remove_member(target.container, Str::plain(target.key)) {
            return Ok(());
        }
        Err(Fault::new(format!("Unable to remove nonexistent key: {}: {MISSING}", target.key)))
    }

    fn operand(&mut self, operand: Operand<'a>) -> Part {
        self.tree.part(match operand {
            Operand::Absent => Slot::Closed(Node::NULL, Spelling::Given),
            Operand::Null => Slot::GivenNull,
            Operand::Value(node) => Slot::Closed(node, Spelling::Given),
        })
    }

    fn or_null(&mut self, found: Option<Part>) -> Part {
        found.unwrap_or_else(|| self.operand(Operand::Absent))
    }

    fn duplicate(&mut self, found: Option<Part>) -> Result<Part, Fault> {
        let Some(part) = found else { return Ok(self.or_null(None)) };
        let node = self.tree.copied(part);
        self.copied_bytes += self.copy_sizes.of(node);
        if self.copied_bytes > MAX_COPY_BYTES {
            return Err(Fault::new(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {MAX_COPY_BYTES}",
                self.copied_bytes
            )));
        }
        let is_null = matches!(self.tree.slot(part), Slot::GivenNull | Slot::CopiedNull);
        Ok(self.tree.part(if is_null { Slot::CopiedNull } else { Slot::Closed(node, Spelling::Copied) }))
    }

    /// Takes note that a value of the patch reaches down to this level at most.
    fn reach(&mut self, level: usize) -> Result<(), Fault> {
        self.rise(level.saturating_sub(MAX_DEPTH))
    }

    /// Takes note that a value may have come so much deeper.
    fn rise(&mut self, levels: usize) -> Result<(), Fault> {
        self.excess += levels;
        if self.excess > EXCESS_BEFORE_CHECK {
            self.check_depth()?;
            self.excess = 0;
        }
        Ok(())
    }

    fn check_depth(&self) -> Result<(), Fault> {
        match Document::check(&to_bytes(self.tree.node(self.root))) {
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::new(format!("the result cannot be a document: {error}"))),
        }
    }

    fn finish(self) -> Result<Node<'a>, Fault> {
        if self.excess > 0 {
            self.check_depth()?;
        }
        Ok(self.tree.node(self.root))
    }
}

fn required_path<'a>(operation: &Operation<'a>, name: &str) -> Result<&'a str, Fault> {
    operation.path.ok_or_else(|| {
        Fault::new(format!("{name} operation failed to decode path: operation missing path field: {MISSING}"))
    })
}

fn required_from<'a>(operation: &Operation<'a>, name: &str) -> Result<&'a str, Fault> {
    operation.from.ok_or_else(|| {
        Fault::new(format!(
            "{name} operation failed to decode from: operation, missing from field: {MISSING}"
        ))
    })
}

/// The position of an element that exists; negative indices count from the end.
fn existing_index(token: &str, length: usize) -> Result<usize, Fault> {
    let index = pointer::index(token).map_err(|NoIndex(text)| Fault::new(text))?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if index >= length || index < -length {
        return Err(Fault::new(format!("Unable to access invalid index: {index}: invalid index referenced")));
    }
    let at = if index < 0 { index + length } else { index };
    Ok(usize::try_from(at).unwrap_or_default())
}

/// A token that is no index at all is told in other words when something is to be added there.
fn not_an_index(fault: Fault, token: &str) -> Fault {
    if pointer::index(token).is_ok() {
        return fault;
    }
    fault.within(format_args!("value was not a proper array index: '{token}'"))
}
