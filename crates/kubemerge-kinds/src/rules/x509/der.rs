//! As much of DER as is needed to see whether something is a certificate or a request for one.
//!
//! Signatures are not verified: that would need cryptography, which this crate does without.

/// Why bytes are no certificate or request, in Go's words.
pub(crate) type Problem = &'static str;

const TRUNCATED: Problem = "asn1: syntax error: data truncated";
const SEQUENCE_TRUNCATED: Problem = "asn1: syntax error: sequence truncated";
const TRAILING: Problem = "asn1: syntax error: trailing data";
const WRONG_TAG: Problem = "asn1: structure error: tags don't match";

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const BOOLEAN: u8 = 0x01;
const OCTET_STRING: u8 = 0x04;
/// The explicit tag of a version.
const VERSION: u8 = 0xa0;
/// The explicit tag of the extensions of a certificate.
const EXTENSIONS: u8 = 0xa3;
/// 2.5.29.19 as DER has it.
const BASIC_CONSTRAINTS: [u8; 5] = [0x06, 0x03, 0x55, 0x1d, 0x13];
/// 2.5.4.10 as DER has it.
const ORGANIZATION: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x0a];

/// A value: its tag, its content, and its whole encoding.
struct Element<'d> {
    tag: u8,
    content: &'d [u8],
    whole: &'d [u8],
}

/// Values that follow each other.
struct Elements<'d>(&'d [u8]);

impl<'d> Elements<'d> {
    fn next(&mut self) -> Result<Element<'d>, Problem> {
        let bytes = self.0;
        let [tag, first, ..] = *bytes else {
            return Err(if bytes.is_empty() { SEQUENCE_TRUNCATED } else { TRUNCATED });
        };
        // Longer lengths cannot be: objects are smaller.
        let (start, length) = match first {
            0..=0x7f => (2, usize::from(first)),
            0x81..=0x84 => {
                let count = usize::from(first & 0x7f);
                let digits = bytes.get(2..2 + count).ok_or(TRUNCATED)?;
                (2 + count, digits.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
            }
            _ => return Err(TRUNCATED),
        };
        let end = start.checked_add(length).ok_or(TRUNCATED)?;
        let (whole, rest) = bytes.split_at_checked(end).ok_or(TRUNCATED)?;
        let content = whole.get(start..).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(Element { tag, content, whole })
    }

    fn expect(&mut self, tag: u8) -> Result<Element<'d>, Problem> {
        self.next().and_then(|element| if element.tag == tag { Ok(element) } else { Err(WRONG_TAG) })
    }
}

/// The one value that the bytes are.
fn only(bytes: &[u8]) -> Result<Element<'_>, Problem> {
    let mut elements = Elements(bytes);
    let element = elements.expect(SEQUENCE)?;
    if elements.0.is_empty() { Ok(element) } else { Err(TRAILING) }
}

/// What is signed, out of something signed: content, algorithm, signature.
fn signed(bytes: &[u8]) -> Result<Elements<'_>, Problem> {
    let mut parts = Elements(only(bytes)?.content);
    let content = parts.expect(SEQUENCE)?;
    parts.expect(SEQUENCE)?;
    parts.expect(BIT_STRING)?;
    Ok(Elements(content.content))
}

/// The public key of a request for a certificate (PKCS #10).
pub(crate) fn request_key(bytes: &[u8]) -> Result<&[u8], Problem> {
    let mut content = signed(bytes)?;
    content.expect(INTEGER)?;
    content.expect(SEQUENCE)?;
    content.expect(SEQUENCE).map(|key| key.whole)
}

/// The organizations that a request for a certificate (PKCS #10) names as its subject: groups of a user.
pub(crate) fn request_organizations(bytes: &[u8]) -> Result<Vec<&[u8]>, Problem> {
    let mut content = signed(bytes)?;
    content.expect(INTEGER)?;
    let mut subject = Elements(content.expect(SEQUENCE)?.content);
    let mut found = Vec::new();
    while !subject.0.is_empty() {
        let mut attributes = Elements(subject.expect(SET)?.content);
        while !attributes.0.is_empty() {
            let mut attribute = Elements(attributes.expect(SEQUENCE)?.content);
            if attribute.next()?.whole == ORGANIZATION {
                found.push(attribute.next()?.content);
            }
        }
    }
    Ok(found)
}

/// What rules ask of a certificate.
pub(crate) struct Certificate<'d> {
    /// Its public key.
    pub(crate) key: &'d [u8],
    /// Whether it may sign others.
    pub(crate) is_authority: bool,
}

/// Reads an X.509 certificate.
pub(crate) fn certificate(bytes: &[u8]) -> Result<Certificate<'_>, Problem> {
    let mut content = signed(bytes)?;
    let first = content.next()?;
    // Without it the certificate is of version 1 and begins with its serial number.
    if first.tag == VERSION {
        content.expect(INTEGER)?;
    }
    // Algorithm, issuer, validity and subject.
    for _ in 0..4 {
        content.expect(SEQUENCE)?;
    }
    let key = content.expect(SEQUENCE)?.whole;
    let mut is_authority = false;
    while !content.0.is_empty() {
        let part = content.next()?;
        if part.tag == EXTENSIONS {
            is_authority = has_authority_extension(part.content)?;
        }
    }
    Ok(Certificate { key, is_authority })
}

fn has_authority_extension(content: &[u8]) -> Result<bool, Problem> {
    let mut extensions = Elements(only(content)?.content);
    while !extensions.0.is_empty() {
        let mut extension = Elements(extensions.expect(SEQUENCE)?.content);
        if extension.next()?.whole != BASIC_CONSTRAINTS {
            continue;
        }
        // Whether it is critical comes before the value and may be left out.
        let mut value = extension.next()?;
        if value.tag == BOOLEAN {
            value = extension.expect(OCTET_STRING)?;
        }
        let first = Elements(only(value.content)?.content).next();
        // DER writes true as 0xff; an absent flag means false.
        return Ok(first.is_ok_and(|first| first.tag == BOOLEAN && first.content == [0xff]));
    }
    Ok(false)
}
