//! Field paths, linked on the stack of the walk that makes them and rendered only on demand.

use crate::{Scalar, Str};
use std::fmt;

/// The place of a value: a step, and the path of the value around it.
///
/// ```
/// use kubemerge_value::Path;
///
/// let spec = Path::ROOT.field("spec".into());
/// let labels = spec.field("labels".into());
/// let ports = spec.field("ports".into());
/// assert_eq!(ports.index(2).to_string(), "spec.ports[2]");
/// assert_eq!(labels.field("app.kubernetes.io/name".into()).to_string(), "spec.labels[app.kubernetes.io/name]");
/// ```
#[derive(Clone, Copy)]
pub struct Path<'p> {
    around: Option<&'p Path<'p>>,
    step: Step<'p>,
    side: Side,
}

/// The document that a path leads through. An item of a list may have different positions in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Side {
    /// The patch, or the only document there is.
    #[default]
    Patch,
    /// The live object.
    Live,
}

/// One step of a path.
#[derive(Clone, Copy)]
pub enum Step<'p> {
    /// The document itself.
    Root,
    /// A member of a map.
    Field(Str<'p>),
    /// An element of a list, by its position in the patch or in the only document there is.
    Index(usize),
    /// An element of two lists that are merged, by its positions.
    Item {
        /// Its position in the patch.
        patch: usize,
        /// Its position in the live object.
        live: usize,
    },
    /// An element that only one of two merged lists has, by its position there.
    Only(Side, usize),
    /// An element of a list, by the values of its merge keys.
    Keys(&'p [(&'p str, Scalar<'p>)]),
}

impl<'p> Path<'p> {
    /// The document itself.
    pub const ROOT: Path<'static> = Path { around: None, step: Step::Root, side: Side::Patch };

    /// The member of this name.
    #[must_use]
    pub fn field(&'p self, name: Str<'p>) -> Path<'p> {
        self.step(Step::Field(name))
    }

    /// The element at this position; below the live object, of its list only.
    #[must_use]
    pub fn index(&'p self, at: usize) -> Path<'p> {
        self.step(match self.side {
            Side::Patch => Step::Index(at),
            Side::Live => Step::Only(Side::Live, at),
        })
    }

    /// The element at these positions of the patch and of the live object.
    #[must_use]
    pub fn item(&'p self, patch: usize, live: usize) -> Path<'p> {
        self.step(Step::Item { patch, live })
    }

    /// The element at this position of the list on one side, which the list on the other side lacks.
    ///
    /// ```
    /// use kubemerge_value::{Path, Side};
    ///
    /// let ports = Path::ROOT.field("ports".into());
    /// let port = ports.only(Side::Live, 7);
    /// assert_eq!(port.to_string(), "ports[7]");
    /// assert!(port.leads_through(Side::Live) && !port.leads_through(Side::Patch));
    /// ```
    #[must_use]
    pub fn only(&'p self, side: Side, at: usize) -> Path<'p> {
        let path = self.step(Step::Only(side, at));
        if side == Side::Live { path.in_live() } else { path }
    }

    /// Whether the document on this side has every list element on the way.
    pub fn leads_through(&self, side: Side) -> bool {
        let is_elsewhere = |step| match step {
            Step::Only(only, _) => only != side,
            // A position in the patch alone says nothing about the live list, whose order is its own.
            Step::Index(_) => side == Side::Live,
            _ => false,
        };
        let mut path = Some(self);
        while let Some(here) = path {
            if is_elsewhere(here.step) {
                return false;
            }
            path = here.around;
        }
        true
    }

    /// The same place in the patch.
    #[must_use]
    pub fn in_patch(&self) -> Path<'p> {
        Path { side: Side::Patch, ..*self }
    }

    /// The element with these key values.
    #[must_use]
    pub fn keys(&'p self, keys: &'p [(&'p str, Scalar<'p>)]) -> Path<'p> {
        self.step(Step::Keys(keys))
    }

    /// The same place in the live object.
    ///
    /// ```
    /// use kubemerge_value::Path;
    ///
    /// let ports = Path::ROOT.field("ports".into());
    /// let port = ports.item(0, 7);
    /// assert_eq!(port.to_string(), "ports[0]");
    /// assert_eq!(port.in_live().field("name".into()).to_string(), "ports[7].name");
    /// ```
    #[must_use]
    pub fn in_live(&self) -> Path<'p> {
        Path { side: Side::Live, ..*self }
    }

    /// The document that the path leads through.
    pub fn side(&self) -> Side {
        self.side
    }

    fn step(&'p self, step: Step<'p>) -> Path<'p> {
        Path { around: Some(self), step, side: self.side }
    }

    /// The path of the value around, and the last step.
    pub fn split(&self) -> (Option<&'p Path<'p>>, Step<'p>) {
        (self.around, self.step)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut path = Some(self);
        while let Some(here) = path {
            steps.push(here.step);
            path = here.around;
        }
        let mut text = String::new();
        for step in steps.iter().rev() {
            push_step(&mut text, step, self.side);
        }
        f.write_str(&text)
    }
}

fn push_step(text: &mut String, step: &Step<'_>, side: Side) {
    match step {
        Step::Root => {}
        Step::Field(name) => push_field(text, &name.text()),
        Step::Index(at) | Step::Only(_, at) => text.push_str(&format!("[{at}]")),
        Step::Item { patch, live } => {
            let at = if side == Side::Live { live } else { patch };
            text.push_str(&format!("[{at}]"));
        }
        Step::Keys(keys) => {
            let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
            text.push_str(&format!("[{}]", keys.join(",")));
        }
    }
}

/// Names of letters, digits, `-` and `_` follow a dot; others are in brackets.
fn push_field(text: &mut String, name: &str) {
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    // Labels and annotations contain dots and slashes.
    if name.is_empty() || !name.chars().all(simple) {
        text.push_str(&format!("[{name}]"));
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(name);
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", crate::Node::scalar_node(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_as_kubernetes_writes_them() {
        let containers = Path::ROOT.field("spec".into());
        let containers = containers.field("containers".into());
        let item = containers.index(0);
        let env = item.field("env".into());
        let variable = env.index(2);
        assert_eq!(variable.field("name".into()).to_string(), "spec.containers[0].env[2].name");
        assert_eq!(Path::ROOT.to_string(), "");
        assert_eq!(containers.field("$retainKeys".into()).to_string(), "spec.containers[$retainKeys]");
    }

    #[test]
    fn paths_by_key_name_the_item() {
        let spec = Path::ROOT.field("spec".into());
        let containers = spec.field("containers".into());
        let web = [("name", Scalar::String("web".into()))];
        let container = containers.keys(&web);
        let ports = container.field("ports".into());
        let keys = [("containerPort", Scalar::Int(80)), ("protocol", Scalar::String("TCP".into()))];
        assert_eq!(
            ports.keys(&keys).to_string(),
            r#"spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]"#
        );
    }
}
