//! Server-side apply on exported objects: `metadata.managedFields` are part of the text.
//!
//! Objects are taken as they are written. An API server holds built-in objects in the form of its Go types,
//! which leaves out zero values; an object that it has answered with has that form already.

use crate::applier::Applier;
use crate::error::{Error, ErrorKind};
use crate::object::{Object, Source, read_object};
use crate::rule_source::RuleSource;
use kubemerge_schema::{Dialect, Schema, Type};
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::FieldOrder;
use kubemerge_ssa::managed_fields::{
    ApplyError, Endpoint, Live, ManagedFields, PlannedField, Writer, apply, manager_problems, plan,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_value::{Document, Kind, Node, Scalar, Str, deep, list, map};

/// Applies configurations on behalf of managers, as the API server does.
///
/// ```
/// use kubemerge::{Applier, Dialect, Schema, ServerSideApply};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let server_side = ServerSideApply::new(&schema);
/// let config = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}"#;
/// let first = server_side.apply(None::<&str>, config, &Applier::new("me"))?;
/// assert!(first.object.contains(r#""f:data":{"f:a":{}}"#));
///
/// let other = config.replace("\"1\"", "\"2\"");
/// let refused = server_side.apply(Some(&first.object), &other, &Applier::new("you")).unwrap_err();
/// assert_eq!(refused.to_string(), r#"Apply failed with 1 conflict: conflict with "me": .data.a"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ServerSideApply {
    schema: Schema,
}

/// The result of an apply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSideApplied<T> {
    /// The object with its entries.
    pub object: T,
    /// Whether the object changed, its entries aside.
    pub has_changed: bool,
}

impl ServerSideApply {
    /// With the types of a schema, which is shared: this costs nothing.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        ServerSideApply { schema: schema.clone() }
    }

    /// Without a schema: every map merges, every list is one value.
    #[must_use]
    pub fn schemaless() -> Self {
        ServerSideApply { schema: Schema::empty(Dialect::Upstream) }
    }

    /// The order of members inside `fieldsV1`.
    pub(crate) fn order(&self, api_version: &str, kind: &str) -> FieldOrder {
        let ty = self.schema.type_of(api_version, kind);
        // The API server holds fields of custom resources as a map, which is written in another order.
        let is_custom = ty.is_none_or(|ty| ty.is_custom_resource());
        if is_custom { FieldOrder::Label } else { FieldOrder::Path }
    }

    /// The type whose unions an apply clears.
    fn union_type(&self, api_version: &str, kind: &str) -> Option<Type<'_>> {
        // First, so that nothing is looked up in the other dialects.
        if self.schema.dialect() != Dialect::Spec {
            return None;
        }
        self.schema.type_of(api_version, kind).filter(|ty| ty.enforces_unions())
    }

    /// Applies a configuration to an object, or creates it. The result has the form of the live object, also where there
    /// is none: `None::<&str>` asks for text.
    ///
    /// # Errors
    /// With the API server's texts: malformed documents and entries, fields that the schema does not declare,
    /// conflicts.
    pub fn apply<L: Object + ?Sized, C: Object + ?Sized>(
        &self,
        live: Option<&L>,
        config: &C,
        applier: &Applier<'_>,
    ) -> Result<ServerSideApplied<L::Output>, ApplyError> {
        let arena = Arena::new();
        let (live, config) = (live.map(read).transpose()?, read(config)?);
        let live = live.as_ref().map(|live| value_of(live, &arena));
        let applied = self.apply_values(live, value_of(&config, &arena), applier, &arena)?;
        Ok(ServerSideApplied { object: written::<L>(&applied.object)?, has_changed: applied.has_changed })
    }

    fn apply_values<'a>(
        &'a self,
        live: Option<ParsedValue<'a>>,
        config: ParsedValue<'a>,
        applier: &'a Applier<'_>,
        arena: &'a Arena,
    ) -> Result<ServerSideApplied<String>, ApplyError> {
        self.with_request(live, config, applier, arena, |request| {
            let Request { endpoint, live, config, writer } = request;
            let applied = apply(&endpoint, live, config, writer, applier.conflicting(), arena)?;
            let object = applied.object.unwrap_or(live.object);
            Ok(ServerSideApplied {
                object: with_entries(object, &applied.managed, arena),
                has_changed: applied.object.is_some(),
            })
        })
    }

    /// Says what an apply would add, change, take over, conflict on, release and prune, and why: a dry run.
    ///
    /// ```
    /// use kubemerge::{Applier, Dialect, Schema, ServerSideApply};
    ///
    /// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
    /// let server_side = ServerSideApply::new(&schema);
    /// let config = |data: &str| {
    ///     format!(r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "c"}}, "data": {data}}}"#)
    /// };
    /// let live = server_side.apply(None::<&str>, &config(r#"{"a": "1", "b": "1"}"#), &Applier::new("me"))?.object;
    /// let live = server_side.apply(Some(&live), &config(r#"{"c": "1"}"#), &Applier::new("you"))?.object;
    ///
    /// let plan = server_side.plan(Some(&live), &config(r#"{"a": "2", "c": "2"}"#), &Applier::new("me"))?;
    /// let lines: Vec<String> = plan.iter().map(|field| format!("{} {}", field.effect.word(), field.path)).collect();
    /// assert_eq!(lines, ["change .data.a", "conflict .data.c", "prune .data.b"]);
    /// assert_eq!(plan[1].effect.reason(), "another manager owns it with another value");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`ServerSideApply::apply`], but conflicts are part of the plan.
    pub fn plan<L: Object + ?Sized, C: Object + ?Sized>(
        &self,
        live: Option<&L>,
        config: &C,
        applier: &Applier<'_>,
    ) -> Result<Vec<PlannedField>, ApplyError> {
        let arena = Arena::new();
        let (live, config) = (live.map(read).transpose()?, read(config)?);
        let live = live.as_ref().map(|live| value_of(live, &arena));
        self.with_request(live, value_of(&config, &arena), applier, &arena, |request| {
            let Request { endpoint, live, config, writer } = request;
            plan(&endpoint, live, config, writer, applier.conflicting(), &arena)
        })
    }

    fn with_request<'a, T>(
        &'a self,
        live: Option<ParsedValue<'a>>,
        config: ParsedValue<'a>,
        applier: &'a Applier<'_>,
        arena: &'a Arena,
        run: impl FnOnce(Request<'_>) -> Result<T, ApplyError>,
    ) -> Result<T, ApplyError> {
        if let Some(problem) = invalid_manager(applier.manager()) {
            return Err(ApplyError::BadRequest(problem));
        }
        let text = |name: &str| config.get(name).and_then(ParsedValue::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let order = self.order(api_version, kind);
        let versions = match self.schema.type_of(api_version, kind) {
            Some(_) => SameForm::built_in(&self.schema, kind).with_unions(self.union_type(api_version, kind)),
            // Unknown kinds: every map merges, every list is atomic.
            None => SameForm::schemaless(),
        };
        let head = ParsedValue::EMPTY_MAP.with_member("kind", ParsedValue::String(kind), arena);
        let empty = head.with_member("apiVersion", ParsedValue::String(api_version), arena);
        let (object, managed) = match live {
            Some(live) => split(live, order, arena)?,
            None => (empty, ManagedFields::new()),
        };
        let reset_fields = applier.reset_fields(arena);
        let endpoint = Endpoint {
            versions: &versions,
            api_version,
            kind,
            subresource: applier.subresource_name(),
            reset_fields: &reset_fields,
            order,
            empty,
        };
        let writer = Writer { manager: applier.manager(), time: applier.time() };
        run(Request { endpoint, live: Live { object, managed: &managed }, config, writer })
    }
}

/// Why the API server refuses a manager, if it does.
fn invalid_manager(name: &str) -> Option<String> {
    let problems = manager_problems(name);
    let listed = match problems.as_slice() {
        [] => return None,
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Some(format!(r#"PatchOptions.meta.k8s.io "" is invalid: {listed}"#))
}

struct Request<'a> {
    endpoint: Endpoint<'a>,
    live: Live<'a>,
    config: ParsedValue<'a>,
    writer: Writer<'a>,
}

/// A server-side apply as one of the types of patch; an empty live object is created.
pub(crate) fn apply_node<'a>(
    rules: RuleSource<'_>,
    live: Node<'a>,
    config: Node<'a>,
    applier: &Applier<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    if let Some(message) = invalid_manager(applier.manager()) {
        let (kind, hint) = match applier.manager() {
            "" => (
                ErrorKind::MissingFieldManager,
                "name the manager: Patch::apply(config, Applier::new(\"me\"))",
            ),
            _ => (ErrorKind::InvalidFieldManager, "use a short name of printable characters"),
        };
        return Err(Error::new(kind, "", message).with_hint(hint));
    }
    let scratch = Arena::new();
    let server_side = rules.schema().map_or_else(ServerSideApply::schemaless, ServerSideApply::new);
    let live = (!live.is_empty()).then(|| ParsedValue::from_node(live, &scratch));
    let config = ParsedValue::from_node(config, &scratch);
    let applied = server_side.apply_values(live, config, applier, &scratch)?;
    Ok(copied(Document::check(applied.object.as_bytes())?.node(), arena))
}

/// A node that borrows from nothing but the arena, with members in the same order.
fn copied<'a>(node: Node<'_>, arena: &'a Arena) -> Node<'a> {
    let text = |text: Str<'_>| Str::plain(arena.alloc_str(&text.text()));
    let scratch = Arena::new();
    match node.kind() {
        Kind::Map => {
            let members = node.entries(&scratch).iter();
            deep(|| map(members.map(|entry| (text(entry.key), copied(entry.value, arena))), arena))
        }
        Kind::List => deep(|| list(node.elements(&scratch).iter().map(|item| copied(*item, arena)), arena)),
        _ => Node::scalar_node(match node.scalar() {
            Some(Scalar::String(string)) => Scalar::String(text(string)),
            Some(Scalar::Bool(value)) => Scalar::Bool(value),
            Some(Scalar::Int(value)) => Scalar::Int(value),
            Some(Scalar::Float(value)) => Scalar::Float(value),
            Some(Scalar::Null) | None => Scalar::Null,
        }),
    }
}

/// A document that is given to an apply.
pub(crate) fn read<O: Object + ?Sized>(object: &O) -> Result<Source<'_>, ApplyError> {
    read_object(object).map_err(|error| undecodable(&error))
}

pub(crate) fn value_of<'a>(source: &'a Source<'_>, arena: &'a Arena) -> ParsedValue<'a> {
    ParsedValue::from_node(source.node(), arena)
}

/// A text of this module in the form that is wanted.
pub(crate) fn written<O: Object + ?Sized>(text: &str) -> Result<O::Output, ApplyError> {
    let document = Document::check(text.as_bytes()).map_err(|error| undecodable(&error.into()))?;
    O::write(document.node()).map_err(|error| undecodable(&error))
}

fn undecodable(error: &Error) -> ApplyError {
    ApplyError::BadRequest(format!("error decoding patch: {}", error.message()))
}

/// An object without its entries, and those.
pub(crate) fn split<'a>(
    object: ParsedValue<'a>,
    order: FieldOrder,
    arena: &'a Arena,
) -> Result<(ParsedValue<'a>, ManagedFields), ApplyError> {
    let Some(metadata) = object.get("metadata") else { return Ok((object, ManagedFields::new())) };
    let managed = ManagedFields::read(metadata.get("managedFields"), order)
        .map_err(|error| ApplyError::Failed(format!("failed to decode managed fields: {error}")))?;
    let bare = metadata.without_member("managedFields", arena);
    Ok((object.with_member("metadata", bare, arena), managed))
}

/// The canonical text of an object with its entries. They are put in as text: the order inside `fieldsV1` is
/// that of paths for built-in kinds, not that of sorted maps.
pub(crate) fn with_entries<'a>(object: ParsedValue<'a>, managed: &ManagedFields, arena: &'a Arena) -> String {
    let mut out = Vec::new();
    if managed.is_empty() {
        object.write_json(&mut out);
    } else {
        let metadata = object.get("metadata").unwrap_or(ParsedValue::EMPTY_MAP);
        let bare = object.with_member("metadata", metadata, arena);
        write_members(bare, &mut out, |name, value, out| match name {
            "metadata" => {
                // Holds the place in sorted order; the entries are written there as text.
                let marked = value.with_member("managedFields", ParsedValue::Null, arena);
                write_members(marked, out, |name, value, out| match name {
                    "managedFields" => managed.write_json(out),
                    _ => value.write_json(out),
                });
            }
            _ => value.write_json(out),
        });
    }
    // The writers write UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

fn write_members<'a>(
    map: ParsedValue<'a>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(&str, ParsedValue<'a>, &mut Vec<u8>),
) {
    out.push(b'{');
    for (place, member) in map.members().unwrap_or_default().iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        ParsedValue::String(member.name).write_json(out);
        out.push(b':');
        write(member.name, member.value, out);
    }
    out.push(b'}');
}
