//! Addresses and ranges of addresses, read as Go's `net/netip` reads them.

use crate::error::CelError;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kubemerge_value::write::go_quoted as quoted;

use super::answer::Answer;
use crate::value::CelValue;

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpAddress(IpAddr);

/// An address and how many of its bits name the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CelCidr {
    address: IpAddr,
    bits: u8,
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, arguments) {
        ("ip", [CelValue::String(text)]) => ip(text).map(CelValue::Ip),
        ("isIP", [CelValue::String(text)]) => Ok(CelValue::Bool(ip(text).is_ok())),
        ("ip.isCanonical", [CelValue::String(text)]) => {
            ip(text).map(|address| CelValue::Bool(address.to_string() == **text))
        }
        ("cidr", [CelValue::String(text)]) => cidr_value(text).map(CelValue::Cidr),
        ("isCIDR", [CelValue::String(text)]) => Ok(CelValue::Bool(cidr(text).is_ok())),
        (_, [CelValue::Ip(address)]) => return of_address(function, address.0),
        (_, [CelValue::Cidr(cidr), rest @ ..]) => return of_cidr(function, *cidr, rest),
        _ => return None,
    })
}

fn of_address<'v>(function: &str, address: IpAddr) -> Option<Answer<'v>> {
    let answer = match (function, address) {
        ("family", IpAddr::V4(_)) => return Some(Ok(CelValue::Int(4))),
        ("family", IpAddr::V6(_)) => return Some(Ok(CelValue::Int(6))),
        ("isUnspecified", _) => address.is_unspecified(),
        ("isLoopback", _) => address.is_loopback(),
        ("isLinkLocalMulticast", _) => is_link_local_multicast(address),
        ("isLinkLocalUnicast", _) => is_link_local_unicast(address),
        ("isGlobalUnicast", _) => is_global_unicast(address),
        _ => return None,
    };
    Some(Ok(CelValue::Bool(answer)))
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = address == IpAddr::V4(Ipv4Addr::BROADCAST);
    let is_special = address.is_unspecified() || address.is_loopback() || address.is_multicast();
    !is_broadcast && !is_special && !is_link_local_unicast(address)
}

fn of_cidr<'v>(function: &str, cidr: CelCidr, rest: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, rest) {
        ("ip", []) => Ok(CelValue::Ip(IpAddress(cidr.address))),
        ("prefixLength", []) => Ok(CelValue::Int(cidr.bits.into())),
        ("masked", []) => Ok(CelValue::Cidr(cidr.masked())),
        ("containsIP", [CelValue::Ip(address)]) => Ok(CelValue::Bool(cidr.contains(address.0))),
        // Upstream: a text that is no address is an argument of another type.
        ("containsIP", [CelValue::String(text)]) => match ip(text) {
            Ok(address) => Ok(CelValue::Bool(cidr.contains(address.0))),
            Err(_) => super::answer::no_overload(),
        },
        ("containsCIDR", [CelValue::Cidr(other)]) => Ok(CelValue::Bool(cidr.contains_all(*other))),
        ("containsCIDR", [CelValue::String(text)]) => {
            cidr_value(text).map(|other| CelValue::Bool(cidr.contains_all(other)))
        }
        _ => return None,
    })
}

impl CelCidr {
    /// The bits of an address as a number, the first one highest.
    fn number(address: IpAddr) -> u128 {
        match address {
            IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
            IpAddr::V6(address) => address.to_bits(),
        }
    }

    fn mask(bits: u8) -> u128 {
        u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0)
    }

    fn masked(self) -> CelCidr {
        let number = CelCidr::number(self.address) & CelCidr::mask(self.bits);
        let address = match self.address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits((number >> 96) as u32)),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from_bits(number)),
        };
        CelCidr { address, bits: self.bits }
    }

    fn contains(self, address: IpAddr) -> bool {
        let difference = CelCidr::number(self.address) ^ CelCidr::number(address);
        self.address.is_ipv4() == address.is_ipv4() && difference & CelCidr::mask(self.bits) == 0
    }

    fn contains_all(self, other: CelCidr) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }

    /// The bytes that name the network.
    pub(crate) fn byte_length(self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }
}

impl IpAddress {
    pub(crate) fn byte_length(self) -> u64 {
        if self.0.is_ipv4() { 4 } else { 16 }
    }
}

impl fmt::Display for IpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for CelCidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn ip(text: &str) -> Result<IpAddress, CelError> {
    let (address, has_zone) = parse_address(text).map_err(|problem| {
        format!("IP Address {} parse error during conversion from string: {problem}", quoted(text))
    })?;
    if has_zone {
        return Err(format!("IP address {} with zone value is not allowed", quoted(text)).into());
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)).into());
    }
    Ok(IpAddress(address))
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

fn cidr_value(text: &str) -> Result<CelCidr, CelError> {
    cidr(text).map_err(|problem| {
        format!("network address parse error during conversion from string: {problem}").into()
    })
}

fn cidr(text: &str) -> Result<CelCidr, CelError> {
    let cidr = parse_prefix(text).map_err(|problem| {
        let problem = format!("netip.ParsePrefix({}): {problem}", quoted(text));
        format!("network address parse error during conversion from string: {problem}")
    })?;
    if is_mapped(cidr.address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)).into());
    }
    Ok(cidr)
}

fn parse_prefix(text: &str) -> Result<CelCidr, CelError> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, has_zone) = parse_address(address)?;
    if has_zone {
        return Err("IPv6 zones cannot be present in a prefix".into());
    }
    let bad_bits = || CelError::from(format!("bad bits after slash: {}", quoted(bits)));
    if bits.len() > 1 && !bits.starts_with(|first: char| ('1'..='9').contains(&first)) {
        return Err(bad_bits());
    }
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = bits.parse().ok().filter(|_| is_number).ok_or_else(bad_bits)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(bits) if bits <= most => Ok(CelCidr { address, bits }),
        _ => Err("prefix length out of range".into()),
    }
}

/// An address, and whether a zone follows it.
pub(super) fn parse_address(text: &str) -> Result<(IpAddr, bool), CelError> {
    let failed = |fault: AddressFault<'_>| {
        let place = if fault.at.is_empty() { String::new() } else { format!(" (at {})", quoted(fault.at)) };
        CelError::from(format!("ParseAddr({}): {}{place}", quoted(text), fault.what))
    };
    match text.bytes().find(|byte| b".:%".contains(byte)) {
        Some(b'.') => {
            let mut fields = [0; 4];
            read_ipv4(text, &mut fields).map_err(failed)?;
            Ok((IpAddr::V4(fields.into()), false))
        }
        Some(b':') => parse_ipv6(text).map_err(failed),
        Some(_) => Err(failed(AddressFault::new("missing IPv6 address", ""))),
        None => Err(failed(AddressFault::new("unable to parse IP", ""))),
    }
}

/// What is wrong with an address, and the text from there on.
struct AddressFault<'t> {
    what: &'static str,
    at: &'t str,
}

impl<'t> AddressFault<'t> {
    fn new(what: &'static str, at: &'t str) -> AddressFault<'t> {
        AddressFault { what, at }
    }
}

fn read_ipv4<'t>(text: &'t str, fields: &mut [u8]) -> Result<(), AddressFault<'t>> {
    let (mut value, mut count, mut digits) = (0u32, 0, 0);
    for (at, char) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        if let Some(digit) = char.to_digit(10) {
            if digits == 1 && value == 0 {
                return Err(AddressFault::new("IPv4 field has octet with leading zero", ""));
            }
            value = value * 10 + digit;
            digits += 1;
            if value > 255 {
                return Err(AddressFault::new("IPv4 field has value >255", ""));
            }
        } else if char == '.' {
            if digits == 0 || rest.len() == 1 {
                return Err(AddressFault::new("IPv4 field must have at least one digit", rest));
            }
            if count == 3 {
                return Err(AddressFault::new("IPv4 address too long", ""));
            }
            if let Some(field) = fields.get_mut(count) {
                *field = value as u8;
            }
            (value, count, digits) = (0, count + 1, 0);
        } else {
            return Err(AddressFault::new("unexpected character", rest));
        }
    }
    if count < 3 {
        return Err(AddressFault::new("IPv4 address too short", ""));
    }
    if let Some(field) = fields.get_mut(3) {
        *field = value as u8;
    }
    Ok(())
}

fn parse_ipv6(text: &str) -> Result<(IpAddr, bool), AddressFault<'_>> {
    let (body, zone) = text.split_once('%').map_or((text, None), |(body, zone)| (body, Some(zone)));
    if zone == Some("") {
        return Err(AddressFault::new("zone must be a non-empty string", ""));
    }
    let mut bytes = [0u8; 16];
    let mut used = 0;
    let mut ellipsis = None;
    let mut rest = body;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok((IpAddr::V6(Ipv6Addr::UNSPECIFIED), zone.is_some()));
        }
    }
    while used < 16 {
        let after = rest.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
        let digits = rest.get(..rest.len() - after.len()).unwrap_or_default();
        if digits.len() > 4 {
            return Err(AddressFault::new("each group must have 4 or less digits", rest));
        }
        let Ok(group) = u16::from_str_radix(digits, 16) else {
            return Err(AddressFault::new("each colon-separated field must have at least one digit", rest));
        };
        if after.starts_with('.') {
            if ellipsis.is_none() && used != 12 {
                let what = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(AddressFault::new(what, rest));
            }
            let Some(place) = bytes.get_mut(used..used + 4) else {
                let what = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(AddressFault::new(what, rest));
            };
            read_ipv4(rest, place)?;
            (used, rest) = (used + 4, "");
            break;
        }
        if let Some(place) = bytes.get_mut(used..used + 2) {
            place.copy_from_slice(&group.to_be_bytes());
        }
        used += 2;
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(next) = rest.strip_prefix(':') else {
            return Err(AddressFault::new("unexpected character, want colon", rest));
        };
        if next.is_empty() {
            return Err(AddressFault::new("colon must be followed by more characters", rest));
        }
        rest = next;
        if let Some(next) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(AddressFault::new("multiple :: in address", rest));
            }
            ellipsis = Some(used);
            rest = next;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(AddressFault::new("trailing garbage after address", rest));
    }
    match ellipsis {
        None if used < 16 => return Err(AddressFault::new("address string too short", "")),
        Some(_) if used == 16 => {
            return Err(AddressFault::new("the :: must expand to at least one field of zeros", ""));
        }
        Some(at) => {
            if let Some(tail) = bytes.get_mut(at..) {
                tail.rotate_right(16 - used);
            }
        }
        None => {}
    }
    Ok((IpAddr::V6(Ipv6Addr::from(bytes)), zone.is_some()))
}
