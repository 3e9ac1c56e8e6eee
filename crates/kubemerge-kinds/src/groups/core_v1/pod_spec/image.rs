//! References of container images.

/// The tag of an image: `latest` if it has neither tag nor digest; empty if the text is no reference.
pub(super) fn tag(image: &str) -> &str {
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    let (name, tag) = match rest.rsplit_once(':') {
        // A colon before the last slash belongs to the port of the registry.
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (rest, None),
    };
    let is_valid = is_repository(name) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest);
    match (is_valid, tag, digest) {
        (false, ..) => "",
        (true, Some(tag), _) => tag,
        // A digest pins the content, so the image never has to be pulled again.
        (true, None, Some(_)) => "",
        (true, None, None) => "latest",
    }
}

fn is_tag(tag: &str) -> bool {
    const MAX_TAG: usize = 128;
    let is_start = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.bytes().next().is_some_and(is_start)
        && tag.len() <= MAX_TAG
        && tag.bytes().all(|byte| is_start(byte) || matches!(byte, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    // The grammar of references asks for this many digits, whatever the algorithm.
    const MIN_HEX: usize = 32;
    digest.split_once(':').is_some_and(|(algorithm, hex)| {
        !algorithm.is_empty() && hex.len() >= MIN_HEX && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// A registry and path components of lower case, e.g. `registry.example.com:5000/team/app`.
fn is_repository(name: &str) -> bool {
    let is_registry = |part: &str| {
        part.contains(['.', ':']) || part == "localhost" || part.bytes().any(|byte| byte.is_ascii_uppercase())
    };
    let path = match name.split_once('/') {
        Some((registry, path)) if is_registry(registry) => {
            if !is_host(registry) {
                return false;
            }
            path
        }
        // A first part without dot, port or capitals is a folder of the default registry.
        _ => name,
    };
    // A name like that would be taken for the identifier of an image.
    let is_identifier = name.len() == IDENTIFIER_BYTES
        && name.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    !is_identifier && path.split('/').all(is_component)
}

/// Hexadecimal digits of a SHA-256 sum.
const IDENTIFIER_BYTES: usize = 64;

fn is_host(registry: &str) -> bool {
    let (host, port) = registry.split_once(':').unwrap_or((registry, "1"));
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.split('.').all(is_label) && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters and digits, with `.`, `_`, `__` or dashes between.
fn is_component(part: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let starts_and_ends =
        part.bytes().next().is_some_and(is_plain) && part.bytes().last().is_some_and(is_plain);
    let separators = part.split(|char: char| is_plain(u8::try_from(char).unwrap_or(b'?')));
    let is_separator =
        |text: &str| matches!(text, "" | "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    starts_and_ends && separators.into_iter().all(is_separator)
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_found() {
        let digest = format!("nginx@sha256:{}", "a".repeat(64));
        for (image, expected) in [
            ("nginx", "latest"),
            ("nginx:1.27", "1.27"),
            ("localhost:5000/a/b", "latest"),
            ("localhost:5000/a/b:v1", "v1"),
            (&digest, ""),
            ("NGINX", ""),
            ("", ""),
            ("Docker.io/nginx", "latest"),
        ] {
            assert_eq!(tag(image), expected, "{image}");
        }
    }
}
