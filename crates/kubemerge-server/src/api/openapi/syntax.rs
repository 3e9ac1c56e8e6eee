//! The two syntaxes of OpenAPI.

/// Which syntax a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    V2,
    V3,
}

impl Syntax {
    pub(super) fn reference(self, name: &str) -> String {
        match self {
            Syntax::V2 => format!("#/definitions/{name}"),
            Syntax::V3 => format!("#/components/schemas/{name}"),
        }
    }
}
