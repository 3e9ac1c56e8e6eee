//! The user that a client certificate names, read from its DER form.

use std::collections::BTreeMap;

use kubemerge_kinds::User;
use sha2::{Digest, Sha256};

/// Attributes of a subject, by the bytes of their object identifiers.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// 1.3.6.1.4.1.57683.2, which Kubernetes has for the uid of a user.
const UID: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xc2, 0x53, 0x02];

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
/// The version of a certificate, which those of the first version lack.
const VERSION: u8 = 0xa0;

/// What a certificate says of its owner.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The common name is the user, the organizations are the groups.
    User(User),
    /// There is no common name.
    Unnamed,
    /// It has several uids, or is no certificate.
    Unreadable,
}

/// The subject of a certificate.
pub(super) fn subject(der: &[u8]) -> Subject {
    let Some(attributes) = attributes(der) else { return Subject::Unreadable };
    let values = |kind: &[u8]| -> Vec<String> {
        attributes.iter().filter(|(own, _)| *own == kind).map(|(_, value)| value.clone()).collect()
    };
    // As in Go, the last one counts.
    let name = values(COMMON_NAME).pop().unwrap_or_default();
    let mut uids = values(UID);
    if name.is_empty() {
        return Subject::Unnamed;
    }
    if uids.len() > 1 || uids.first().is_some_and(String::is_empty) {
        return Subject::Unreadable;
    }
    let mut groups = values(ORGANIZATION);
    if !groups.iter().any(|group| group == "system:authenticated" || group == "system:unauthenticated") {
        groups.push("system:authenticated".to_owned());
    }
    let digest: String = Sha256::digest(der).iter().map(|byte| format!("{byte:02x}")).collect();
    let extra = BTreeMap::from([(User::CREDENTIAL_ID.to_owned(), vec![format!("X509SHA256={digest}")])]);
    Subject::User(User { name, uid: uids.pop().unwrap_or_default(), groups, extra })
}

/// The kinds and values of all attributes of the subject.
fn attributes(der: &[u8]) -> Option<Vec<(&[u8], String)>> {
    let certificate = Elements(der).expect_one(SEQUENCE)?;
    let mut fields = Elements(Elements(certificate).expect_one(SEQUENCE)?);
    if fields.0.first() == Some(&VERSION) {
        fields.next()?;
    }
    // Serial number, algorithm, issuer and validity come first.
    let (_, subject) = fields.nth(4)?;
    let mut attributes = Vec::new();
    for (tag, names) in Elements(subject) {
        for (_, attribute) in Elements((tag == SET).then_some(names)?) {
            let mut parts = Elements(attribute);
            let kind = parts.expect_one(OBJECT_IDENTIFIER)?;
            let (tag, value) = parts.next()?;
            attributes.push((kind, text(tag, value)?));
        }
    }
    Some(attributes)
}

/// The text of a string type.
fn text(tag: u8, value: &[u8]) -> Option<String> {
    match tag {
        // UTF8String, NumericString, PrintableString, IA5String.
        0x0c | 0x12 | 0x13 | 0x16 => String::from_utf8(value.to_vec()).ok(),
        // T61String, which programs fill with Latin-1.
        0x14 => Some(value.iter().map(|byte| char::from(*byte)).collect()),
        // BMPString.
        0x1e => {
            let units = value.chunks_exact(2).filter_map(|pair| pair.try_into().ok());
            String::from_utf16(&units.map(u16::from_be_bytes).collect::<Vec<_>>()).ok()
        }
        _ => None,
    }
}

/// The elements that follow each other in a DER text. It ends where it cannot be read.
struct Elements<'d>(&'d [u8]);

impl<'d> Elements<'d> {
    /// The content of the next element, if it has this tag.
    fn expect_one(&mut self, wanted: u8) -> Option<&'d [u8]> {
        self.next().filter(|(tag, _)| *tag == wanted).map(|(_, content)| content)
    }
}

impl<'d> Iterator for Elements<'d> {
    type Item = (u8, &'d [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (tag, rest) = self.0.split_first()?;
        let (first, mut rest) = rest.split_first()?;
        let mut length = usize::from(*first);
        if *first >= 0x80 {
            let (bytes, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
            // Longer ones do not fit into a certificate.
            if bytes.len() > 4 {
                return None;
            }
            length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = after;
        }
        let (content, after) = rest.split_at_checked(length)?;
        self.0 = after;
        Some((*tag, content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let mut bytes = vec![tag];
        if length < 0x80 {
            bytes.push(length as u8);
        } else {
            bytes.extend([0x82, (length >> 8) as u8, length as u8]);
        }
        bytes.extend(content);
        bytes
    }

    fn certificate(attributes: &[(&[u8], u8, &[u8])]) -> Vec<u8> {
        let names = attributes.iter().flat_map(|(kind, tag, value)| {
            let pair = [element(OBJECT_IDENTIFIER, kind), element(*tag, value)].concat();
            element(SET, &element(SEQUENCE, &pair))
        });
        let names: Vec<u8> = names.collect();
        let empty = element(SEQUENCE, &[]);
        let fields = [
            element(VERSION, &[2, 1, 2]),
            element(2, &[1]),
            empty.clone(),
            empty.clone(),
            empty.clone(),
            element(SEQUENCE, &names),
        ];
        element(SEQUENCE, &element(SEQUENCE, &fields.concat()))
    }

    #[test]
    fn names_and_organizations_are_user_and_groups() {
        let long = [b'g'; 200];
        let der = certificate(&[
            (ORGANIZATION, 0x13, b"dev"),
            (COMMON_NAME, 0x0c, "é".as_bytes()),
            (ORGANIZATION, 0x0c, &long),
            (UID, 0x0c, b"u-1"),
        ]);
        let Subject::User(user) = subject(&der) else { panic!("no user") };
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("é", "u-1"));
        assert_eq!(user.groups, ["dev".to_owned(), "g".repeat(200), "system:authenticated".to_owned()]);
        assert!(user.extra[User::CREDENTIAL_ID][0].starts_with("X509SHA256="));
    }

    #[test]
    fn without_a_name_there_is_no_user() {
        assert_eq!(subject(&certificate(&[(ORGANIZATION, 0x13, b"dev")])), Subject::Unnamed);
        let twice = [(COMMON_NAME, 0x13, &b"a"[..]), (UID, 0x13, b"1"), (UID, 0x13, b"2")];
        assert_eq!(subject(&certificate(&twice)), Subject::Unreadable);
    }

    #[test]
    fn other_texts_are_no_certificates() {
        let whole = certificate(&[(COMMON_NAME, 0x13, b"a")]);
        for end in 0..whole.len() {
            assert_eq!(subject(&whole[..end]), Subject::Unreadable);
        }
        assert_eq!(subject(&[0x30, 0xff, 1, 1, 1]), Subject::Unreadable);
    }
}
