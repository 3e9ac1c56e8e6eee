//! Unions that are not valid, as causes of a refusal: only the dialect `spec` refuses them.

use kubemerge_kinds::field::{FieldError, FieldErrorKind};
use kubemerge_schema::unions::{UnionFinding, UnionNode, check_unions};
use kubemerge_schema::{Dialect, Schema, Type};
use kubemerge_value::{Arena, Document, Node};

use crate::refusal::RefusalCause;

/// The reason of a cause that is about a union.
pub(crate) const INVALID_UNION: &str = FieldErrorKind::InvalidUnion.reason();

/// Why the dialect refuses the unions of an object; nothing in dialects that ignore them.
pub(crate) fn causes(schema: &Schema, object: &[u8]) -> Vec<RefusalCause> {
    if schema.dialect() != Dialect::Spec {
        return Vec::new();
    }
    let Ok(document) = Document::check(object) else { return Vec::new() };
    let root = document.node();
    let text = |name| root.get(name).and_then(Node::as_str).map(|text| text.text().into_owned());
    let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else { return Vec::new() };
    let Some(ty) = schema.type_of(&api_version, &kind) else { return Vec::new() };
    findings(ty, root, &Arena::new()).iter().map(cause).collect()
}

/// The unions of an object that are not valid.
pub(crate) fn findings<'s>(ty: Type<'s>, object: Node<'_>, arena: &Arena) -> Vec<UnionFinding<'s>> {
    if !ty.enforces_unions() {
        return Vec::new();
    }
    check_unions(ty, UnionNode::new(object, arena))
}

/// The field that a finding is about.
pub(crate) fn field(finding: &UnionFinding<'_>) -> String {
    let field = finding.violation.field().map(|name| finding.path.field(name));
    field.as_ref().unwrap_or(&finding.path).to_string()
}

fn cause(finding: &UnionFinding<'_>) -> RefusalCause {
    let (field, detail) = (field(finding), finding.violation.to_string());
    FieldError { kind: FieldErrorKind::InvalidUnion, field, bad_value: None, detail }.into()
}
