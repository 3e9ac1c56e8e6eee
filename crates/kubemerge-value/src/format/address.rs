//! IP addresses and CIDR blocks, with the legacy rules that Kubernetes keeps: leading zeros are read as decimal.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Problems;
use crate::write::go_quoted as quoted;

/// Reads an address as Kubernetes' legacy parser does.
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    if let Some(address) = parse_v4(text) {
        return Some(IpAddr::V4(address));
    }
    if !text.contains(':') {
        return None;
    }
    // An IPv4 part at the end may have leading zeros too.
    let normal = match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => format!("{head}:{}", parse_v4(tail)?),
        _ => text.to_owned(),
    };
    normal.parse::<Ipv6Addr>().ok().map(|address| match address.to_ipv4_mapped() {
        // Go keeps a mapped address in the form of IPv4.
        Some(mapped) => IpAddr::V4(mapped),
        None => IpAddr::V6(address),
    })
}

fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let digits = part.trim_start_matches('0');
        // Any number of leading zeros was accepted once.
        *octet = if !is_number || digits.len() > 3 {
            return None;
        } else if digits.is_empty() {
            0
        } else {
            digits.parse().ok()?
        };
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

/// Whether a text is an IPv4 address.
pub fn is_ipv4(text: &str) -> bool {
    matches!(parse_ip(text), Some(IpAddr::V4(_)))
}

/// Whether a text is an IPv6 address.
pub fn is_ipv6(text: &str) -> bool {
    matches!(parse_ip(text), Some(IpAddr::V6(_)))
}

/// The canonical text of an address.
pub fn canonical_ip(address: IpAddr) -> String {
    address.to_string()
}

/// An address of a field that was there before the strict rules.
pub fn ip(text: &str) -> Problems {
    if parse_ip(text).is_some() {
        return Problems::new();
    }
    vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()]
}

/// An address of such a field since 1.36: leading zeros and mapped addresses are refused there too.
pub fn strict_legacy_ip(text: &str) -> Problems {
    if parse_ip(text).is_none() {
        return ip(text);
    }
    match text.parse::<IpAddr>() {
        Err(_) => vec!["must not have leading 0s".to_owned()],
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => {
            vec!["must not be an IPv4-mapped IPv6 address".to_owned()]
        }
        Ok(_) => Problems::new(),
    }
}

/// An address in its canonical form.
pub fn strict_ip(text: &str) -> Problems {
    let Some(address) = parse_ip(text) else { return ip(text) };
    let parsed = text.parse::<IpAddr>();
    let mut problems = Problems::new();
    if parsed.is_err() {
        problems.push("must not have leading 0s".to_owned());
    }
    if matches!(parsed, Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some()) {
        problems.push("must not be an IPv4-mapped IPv6 address".to_owned());
    }
    if problems.is_empty() && canonical_ip(address) != text {
        problems.push(format!("must be in canonical form ({})", quoted(&canonical_ip(address))));
    }
    problems
}

/// A CIDR block: an address and how many bits of it the block has in common.
#[derive(Clone, Copy, Debug)]
pub struct Cidr {
    /// The address as it was given.
    pub address: IpAddr,
    /// The length of the prefix.
    pub prefix: u8,
}

/// Reads a CIDR block as Kubernetes' legacy parser does.
pub fn parse_cidr(text: &str) -> Option<Cidr> {
    let (address, prefix) = text.split_once('/')?;
    let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let prefix: u32 = prefix.parse().ok().filter(|_| is_number)?;
    let is_v6_text = address.contains(':');
    let address = parse_ip(address)?;
    // By the text: a mapped address is one of IPv4, and yet its prefix counts 128 bits.
    let most = if is_v6_text { 128 } else { 32 };
    (prefix <= most).then_some(Cidr { address, prefix: prefix as u8 })
}

/// A CIDR block of a field that was there before the strict rules.
pub fn cidr(text: &str) -> Problems {
    if parse_cidr(text).is_some() {
        return Problems::new();
    }
    vec!["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)".to_owned()]
}

/// A CIDR block of such a field since 1.36.
pub fn strict_legacy_cidr(text: &str) -> Problems {
    let mut problems = strict_cidr(text);
    // Another spelling than the canonical one is fine here.
    problems.retain(|problem| !problem.starts_with("must be in canonical form"));
    problems
}

/// A CIDR block in its canonical form.
pub fn strict_cidr(text: &str) -> Problems {
    let Some(Cidr { address, prefix }) = parse_cidr(text) else { return cidr(text) };
    let (address_text, prefix_text) = text.split_once('/').unwrap_or_default();
    let has_zeros =
        address_text.parse::<IpAddr>().is_err() || prefix_text.len() > 1 && prefix_text.starts_with('0');
    if has_zeros {
        return vec!["must not have leading 0s in IP or prefix length".to_owned()];
    }
    let is_mapped = address_text.parse::<Ipv6Addr>().is_ok_and(|address| address.to_ipv4_mapped().is_some());
    if is_mapped {
        return vec!["must not have an IPv4-mapped IPv6 address".to_owned()];
    }
    let masked = masked(address, prefix);
    if masked != address {
        return vec!["must not have bits set beyond the prefix length".to_owned()];
    }
    let canonical = format!("{masked}/{prefix}");
    if canonical == text {
        return Problems::new();
    }
    vec![format!("must be in canonical form ({})", quoted(&canonical))]
}

fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            // A shift by the whole width overflows: the mask of /0 is empty.
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
    }
}

/// Whether one CIDR block is inside another and is smaller.
pub fn cidr_contains(whole: Cidr, part: Cidr) -> bool {
    let is_same_family = whole.address.is_ipv4() == part.address.is_ipv4();
    is_same_family
        && whole.prefix < part.prefix
        && masked(part.address, whole.prefix) == masked(whole.address, whole.prefix)
}

/// Addresses that no endpoint can have: unspecified, loopback and link-local ones.
pub fn endpoint_ip(text: &str) -> Problems {
    let Some(address) = parse_ip(text) else {
        return vec!["must be a valid IP address".to_owned()];
    };
    let mut problems = Problems::new();
    if address.is_unspecified() {
        problems.push(format!("may not be unspecified ({text})"));
    }
    if address.is_loopback() {
        problems.push("may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned());
    }
    if is_link_local(address) {
        problems.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned());
    }
    if is_link_local_multicast(address) {
        problems.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned());
    }
    problems
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        // Go looks at the scope of a multicast address, not at its flags.
        IpAddr::V6(address) => address.octets()[0] == 0xff && address.octets()[1] & 0x0f == 0x02,
    }
}
