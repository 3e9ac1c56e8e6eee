//! The part of an object that a request may change.

/// The part of an object that a request may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but the status, if the kind keeps that apart.
    Main,
    /// `/status`, and `/approval` of certificate requests.
    Status,
    /// `/finalize` of namespaces.
    Finalize,
    /// `/ephemeralcontainers` of pods.
    EphemeralContainers,
    /// `/resize` of pods.
    Resize,
}

impl Part {
    /// The part that a subresource writes, if it writes one.
    pub(crate) fn of(subresource: Option<&str>) -> Option<Part> {
        match subresource {
            None => Some(Part::Main),
            Some("status" | "approval") => Some(Part::Status),
            Some("finalize") => Some(Part::Finalize),
            Some("ephemeralcontainers") => Some(Part::EphemeralContainers),
            Some("resize") => Some(Part::Resize),
            Some(_) => None,
        }
    }
}
