//! A range of addresses that Services get theirs from.

use std::{fmt, net::Ipv4Addr};

/// A range of IPv4 addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressRange {
    network: u32,
    /// How many bits all addresses have in common.
    bits: u32,
}

impl Default for AddressRange {
    /// 10.0.0.0/16
    fn default() -> Self {
        AddressRange { network: 10 << 24, bits: 16 }
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from(self.network), self.bits)
    }
}

impl AddressRange {
    /// Reads `10.0.0.0/24`.
    pub(crate) fn parse(text: &str) -> Option<AddressRange> {
        let (address, bits) = text.split_once('/')?;
        let (address, bits) = (address.parse::<Ipv4Addr>().ok()?, bits.parse::<u32>().ok()?);
        // Smaller ranges have no address to give besides network and broadcast.
        (bits <= 30).then(|| AddressRange { network: u32::from(address) & !(u32::MAX >> bits), bits })
    }

    /// Its first address, which cannot be given.
    pub(crate) fn network(self) -> Ipv4Addr {
        self.network.into()
    }

    /// The first address that can be given.
    pub(crate) fn first(self) -> Ipv4Addr {
        (self.network + 1).into()
    }

    /// How many addresses can be given: not that of the network and not the broadcast address.
    fn count(self) -> u32 {
        (u32::MAX >> self.bits) - 1
    }

    /// Whether an address can be given.
    pub(crate) fn has(self, address: Ipv4Addr) -> bool {
        let offset = u32::from(address).checked_sub(self.network);
        offset.is_some_and(|offset| (1..=self.count()).contains(&offset))
    }

    /// All addresses, from a random one on. The first ones are left to clients that ask for an address and come last.
    pub(crate) fn candidates(self, below: impl Fn(u64) -> u64) -> impl Iterator<Item = String> {
        // As kube-apiserver: a sixteenth, at least 16 and at most 256 addresses.
        let kept = if self.count() < 16 { 0 } else { (self.count() / 16).clamp(16, 256) };
        let others = self.count() - kept;
        let start = below(u64::from(others.max(1))) as u32;
        let late = (0..others).map(move |step| kept + 1 + (start + step) % others);
        late.chain(1..=kept).map(move |offset| Ipv4Addr::from(self.network + offset).to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_address_of_a_range_is_a_candidate_once() {
        let range = AddressRange::parse("10.1.2.7/24").unwrap();
        let candidates: Vec<String> = range.candidates(|count| count - 1).collect();
        assert_eq!(candidates.len(), 254);
        assert_eq!(candidates.first().map(String::as_str), Some("10.1.2.254"));
        assert_eq!(candidates.last().map(String::as_str), Some("10.1.2.16"));
        assert_eq!(candidates.iter().collect::<BTreeSet<_>>().len(), 254);
    }

    #[test]
    fn the_ends_of_a_range_cannot_be_given() {
        let range = AddressRange::parse("10.0.0.0/30").unwrap();
        let has = |last| range.has(Ipv4Addr::new(10, 0, 0, last));
        assert_eq!([has(0), has(1), has(2), has(3), has(4)], [false, true, true, false, false]);
        assert_eq!(AddressRange::parse("10.0.0.0/33"), None);
        assert_eq!(AddressRange::parse("fd00::/64"), None);
    }
}
