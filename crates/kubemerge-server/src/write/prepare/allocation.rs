//! Addresses and node ports of Services.
//!
//! An address is taken if it has an IPAddress object, a node port if a stored Service has it. What a request chooses
//! is reserved until the request is done, so that two requests cannot choose the same.

use std::{collections::BTreeSet, net::Ipv4Addr};

use kubemerge_kinds::{
    admission::{self, AllocationError, Allocator, Unavailable},
    tree::{Arena, Map},
};

use crate::{
    catalog::reservations::Reserved,
    object::edit,
    protocol::{
        address_range::AddressRange,
        query::DryRun,
        status::{Outcome, internal, invalid},
    },
    store::{StoreError, Stored, store_failure},
    write::{
        commit::cluster_addresses::{IP_ADDRESSES, has_addresses},
        request::Write,
    },
};

const SERVICE_RANGES: &str = "networking.k8s.io/servicecidrs/";
const FIRST_NODE_PORT: i64 = 30_000;
const LAST_NODE_PORT: i64 = 32_767;

/// Gives a Service what it needs; other kinds need nothing.
pub(crate) fn allocate(write: Write<'_>, object: &mut Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    let resource = write.call.resource;
    if !has_addresses(resource) {
        return Ok(());
    }
    let mut pool = Pool { write, chosen: BTreeSet::new(), used: None, failure: None };
    let allocated = admission::allocate(object, old, &mut pool);
    if let Some(error) = &pool.failure {
        return Err(store_failure(error));
    }
    allocated.map_err(|error| match error {
        AllocationError::Invalid(error) => {
            let name = object.map("metadata").map_or("", |metadata| metadata.str("name"));
            invalid(resource.qualified_kind(), name, &[error])
        }
        AllocationError::Internal(why) => internal(why),
    })
}

/// What is free, as one request sees it.
struct Pool<'w> {
    write: Write<'w>,
    /// The ports that this Service was given so far.
    chosen: BTreeSet<i64>,
    /// The ports of stored Services, once they were needed.
    used: Option<BTreeSet<i64>>,
    /// Why the store could not reserve anything.
    failure: Option<StoreError>,
}

impl Pool<'_> {
    fn is_dry_run(&self) -> bool {
        self.write.options.dry_run == DryRun::All
    }

    fn is_taken(&self, address: &str) -> bool {
        self.write.call.cluster.store.get(&[IP_ADDRESSES, address].concat()).is_some()
    }

    /// Reserved first and looked up then: what another request had reserved is stored by now.
    fn take_address(&mut self, address: &str) -> bool {
        // First a look that costs nothing: most addresses that cannot be had are stored.
        !self.is_taken(address)
            && self.reserve(Reserved::Address(address.to_string()))
            && !self.is_taken(address)
    }

    fn reserve(&mut self, wanted: Reserved) -> bool {
        // After a failure the next candidates are not tried.
        self.failure.is_none()
            && self.write.transaction.reserve(wanted).unwrap_or_else(|error| {
                self.failure = Some(error);
                false
            })
    }

    fn is_used(&mut self, port: i64) -> bool {
        let used = self.used.get_or_insert_with(|| ports_in_use(self.write));
        used.contains(&port)
    }

    fn take_port(&mut self, port: i64) -> bool {
        // A Service may not have one number twice, although its own reservation would allow that.
        if self.chosen.contains(&port) || self.is_used(port) || !self.reserve(Reserved::NodePort(port)) {
            return false;
        }
        // Read again: what another request had reserved is stored by now.
        self.used = None;
        let is_free = !self.is_used(port);
        if is_free {
            self.chosen.insert(port);
        }
        is_free
    }
}

impl Allocator for Pool<'_> {
    fn next_address(&mut self) -> Result<String, Unavailable> {
        let ranges = ranges(self.write);
        if self.is_dry_run() {
            // Upstream: a dry run shows the address of the network.
            return ranges.first().map(|range| range.network().to_string()).ok_or_else(full);
        }
        let entropy = &self.write.call.cluster.entropy;
        let mut candidates = ranges.iter().flat_map(|range| range.candidates(|count| entropy.below(count)));
        candidates.find(|address| self.take_address(address)).ok_or_else(full)
    }

    fn address(&mut self, address: &str) -> Result<(), Unavailable> {
        let parsed: Option<Ipv4Addr> = address.parse().ok();
        let ranges = ranges(self.write);
        if !parsed.is_some_and(|address| ranges.iter().any(|range| range.has(address))) {
            return Err(match ranges.first() {
                // Upstream: a dry run asks the first range only, which has its own words.
                Some(range) if self.is_dry_run() => format!(
                    "the provided IP ({address}) is not in the valid range. The range of valid IPs is {range}"
                )
                .into(),
                _ => "the provided network does not match the current range".into(),
            });
        }
        // Upstream: a dry run does not look whether the address is free.
        if self.is_dry_run() || self.take_address(address) {
            return Ok(());
        }
        Err("provided IP is already allocated".into())
    }

    fn next_port(&mut self) -> Result<i64, Unavailable> {
        if self.is_dry_run() {
            // Upstream: a dry run shows numbers after the range.
            let port = self.chosen.last().map_or(LAST_NODE_PORT + 2, |last| last + 1);
            self.chosen.insert(port);
            return Ok(port);
        }
        let count = LAST_NODE_PORT - FIRST_NODE_PORT + 1;
        // Then in order, so that the search ends even if nearly all are taken.
        let start = self.write.call.cluster.entropy.below(count.unsigned_abs()) as i64;
        let mut candidates = (0..count).map(|step| FIRST_NODE_PORT + (start + step) % count);
        candidates.find(|port| self.take_port(*port)).ok_or_else(full)
    }

    fn port(&mut self, port: i64) -> Result<(), Unavailable> {
        if self.is_dry_run() {
            // Upstream: a dry run accepts ports outside the range.
            let is_free = !self.is_used(port) && self.chosen.insert(port);
            return if is_free { Ok(()) } else { Err(PORT_TAKEN.into()) };
        }
        if !(FIRST_NODE_PORT..=LAST_NODE_PORT).contains(&port) {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is \
                 {FIRST_NODE_PORT}-{LAST_NODE_PORT}"
            )
            .into());
        }
        if self.take_port(port) { Ok(()) } else { Err(PORT_TAKEN.into()) }
    }
}

const PORT_TAKEN: &str = "provided port is already allocated";

fn full() -> Unavailable {
    "range is full".into()
}

fn ports_in_use(write: Write<'_>) -> BTreeSet<i64> {
    let ports = |(_, stored): (_, Stored)| {
        let arena = Arena::new();
        let service = edit::tree(&stored.record, &arena);
        let Some(spec) = service.map("spec") else { return Vec::new() };
        let ports = spec.maps("ports").map(|port| port.int("nodePort"));
        let numbers: Vec<i64> = ports.chain([spec.int("healthCheckNodePort")]).flatten().collect();
        numbers
    };
    write.call.cluster.store.newest("/services/").into_iter().flat_map(ports).collect()
}

/// The ranges of all ServiceCIDRs that are ready.
fn ranges(write: Write<'_>) -> Vec<AddressRange> {
    let stored = write.call.cluster.store.newest(SERVICE_RANGES);
    // A server without fixtures has none, and Services work all the same.
    if stored.is_empty() {
        return vec![write.transaction.settings.service_range];
    }
    let of_one = |(_, stored): (_, Stored)| -> Vec<AddressRange> {
        let arena = Arena::new();
        let range = edit::tree(&stored.record, &arena);
        let is_ready =
            |condition: &Map<'_>| condition.str("type") == "Ready" && condition.str("status") == "True";
        let mut conditions = range.map("status").into_iter().flat_map(|status| status.maps("conditions"));
        if stored.record.is_terminating() || !conditions.any(is_ready) {
            return Vec::new();
        }
        let ranges = stored.record.texts_at(&["spec", "cidrs"]);
        ranges.iter().filter_map(|range| AddressRange::parse(range)).collect()
    };
    stored.into_iter().flat_map(of_one).collect()
}
