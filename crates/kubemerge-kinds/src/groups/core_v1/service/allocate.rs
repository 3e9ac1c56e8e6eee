//! Addresses and node ports of a Service: which ones it needs. An [`Allocator`] knows which are free.

use super::families::{needs_health_check, needs_node_ports};
use crate::field::{Field, FieldError, Report};
use crate::format::is_ipv6;
use crate::text::message_error::message_error;
use crate::tree::{List, Map, Value};

message_error! {
    /// Why an address or a port cannot be had, in the words of Kubernetes' allocators.
    pub struct Unavailable
}

/// What knows which addresses and ports are free.
pub trait Allocator {
    /// Reserves any free address of a family.
    fn next_address(&mut self) -> Result<String, Unavailable>;
    /// Reserves an address.
    fn address(&mut self, address: &str) -> Result<(), Unavailable>;
    /// Reserves any free port.
    fn next_port(&mut self) -> Result<i64, Unavailable>;
    /// Reserves a port.
    fn port(&mut self, port: i64) -> Result<(), Unavailable>;
}

/// Why a Service gets no address or port.
#[derive(Clone, Debug)]
pub enum AllocationError {
    /// What it asks for cannot be had.
    Invalid(FieldError),
    /// All are taken, or the request makes no sense.
    Internal(String),
}

type Outcome = Result<(), AllocationError>;

/// Gives a Service the addresses and ports that it needs and that its old state does not have.
pub fn allocate(service: &mut Map<'_>, old: Option<&Map<'_>>, allocator: &mut dyn Allocator) -> Outcome {
    let name = service.map("metadata").map_or("", |metadata| metadata.str("name"));
    let old = old.and_then(|old| old.map("spec"));
    let Some(spec) = service.map_mut("spec") else { return Ok(()) };
    if needs_addresses(spec, old) {
        cluster_ips(spec, name, allocator)?;
    }
    if matches!(spec.str("type"), "NodePort" | "LoadBalancer") {
        match old {
            None => new_node_ports(spec, allocator)?,
            Some(old) => other_node_ports(spec, old, allocator)?,
        }
    }
    // The balancer asks this port which nodes have a pod of the service.
    if needs_health_check(spec) && !old.is_some_and(needs_health_check) {
        health_check_port(spec, allocator)?;
    }
    Ok(())
}

/// The addresses that a stored Service holds.
pub fn addresses<'a>(spec: &Map<'a>) -> Vec<&'a str> {
    if spec.str("type") == "ExternalName" {
        return Vec::new();
    }
    let held = spec.list("clusterIPs").iter().filter_map(Value::as_str);
    held.filter(|address| !address.is_empty() && *address != "None").collect()
}

/// The node ports that a stored Service holds.
pub fn node_ports(spec: &Map<'_>) -> Vec<i64> {
    let ports = spec.maps("ports").filter_map(|port| port.int("nodePort"));
    let health = spec.int("healthCheckNodePort");
    ports.chain(health).filter(|port| *port != 0).collect()
}

fn needs_addresses(spec: &Map<'_>, old: Option<&Map<'_>>) -> bool {
    let is_external = |spec: &Map<'_>| spec.str("type") == "ExternalName";
    let is_headless = spec.list("clusterIPs").first().and_then(Value::as_str) == Some("None");
    !is_external(spec) && !is_headless && old.is_none_or(is_external)
}

fn cluster_ips(spec: &mut Map<'_>, name: &str, allocator: &mut dyn Allocator) -> Outcome {
    let arena = spec.arena();
    let wanted = spec.list("ipFamilies").len();
    let mut given = List::new_in(arena);
    for place in 0..wanted {
        let asked = spec.list("clusterIPs").get(place).and_then(Value::as_str).unwrap_or_default();
        let address = if asked.is_empty() {
            let text =
                |why: Unavailable| format!("failed to allocate a serviceIP for Service \"{name}\": {why}");
            allocator.next_address().map_err(|why| AllocationError::Internal(text(why)))?
        } else {
            let text = |why: Unavailable| format!("failed to allocate IP {asked}: {why}");
            let got = allocator.address(&short_form(asked));
            got.map_err(|why| refused(spec, |spec| spec.field("clusterIPs").invalid(text(why))))?;
            asked.to_owned()
        };
        given.push(&*arena.alloc_str(&address));
    }
    if let Some(first) = given.first().and_then(Value::as_str) {
        spec.set("clusterIP", first);
        spec.set("clusterIPs", given);
    }
    Ok(())
}

/// The canonical form of an IPv6 address, which names its IPAddress object.
fn short_form(address: &str) -> String {
    if !is_ipv6(address) {
        return address.to_owned();
    }
    address.parse::<std::net::IpAddr>().map_or_else(|_| address.to_owned(), |parsed| parsed.to_string())
}

fn refused(spec: &Map<'_>, complain: impl FnOnce(Field<'_>)) -> AllocationError {
    // The path and the words of these errors are the same in all versions.
    let report = Report::new(u32::MAX);
    complain(Field::root(spec, &report).placed("spec"));
    let error = report.into_errors().into_iter().next();
    error.map_or_else(|| AllocationError::Internal(String::new()), AllocationError::Invalid)
}

fn port_error(spec: &Map<'_>, place: usize, port: i64, why: String) -> AllocationError {
    refused(spec, |spec| spec.field("ports").index(place).field("nodePort").invalid_as(port, why))
}

fn number(port: &Map<'_>) -> i64 {
    port.int("nodePort").unwrap_or_default()
}

/// Ports of a new Service. One number is used for all protocols of a port.
fn new_node_ports(spec: &mut Map<'_>, allocator: &mut dyn Allocator) -> Outcome {
    let is_wanted = needs_node_ports(spec);
    let ports: Vec<(i64, i64)> =
        spec.maps("ports").map(|port| (port.int("port").unwrap_or_default(), number(port))).collect();
    let mut given: Vec<(i64, i64)> = Vec::new();
    for (place, (port, own)) in ports.iter().copied().enumerate() {
        if own == 0 && !is_wanted {
            continue;
        }
        let shared = given.iter().find(|(known, _)| *known == port).map(|(_, number)| *number);
        let asked = ports.iter().find(|(other, number)| *other == port && *number != 0);
        let number = match (shared, asked) {
            (Some(shared), _) if own == 0 || own == shared => shared,
            (Some(_), _) => reserve(spec, place, own, allocator)?,
            (None, Some((_, asked))) => reserve(spec, place, *asked, allocator)?,
            (None, None) => next_port(allocator)?,
        };
        if shared.is_none() {
            given.push((port, number));
        }
        set_number(spec, place, number);
    }
    Ok(())
}

/// Ports of a changed Service: numbers that it had stay its own.
fn other_node_ports(spec: &mut Map<'_>, old: &Map<'_>, allocator: &mut dyn Allocator) -> Outcome {
    let is_wanted = needs_node_ports(spec);
    let held: Vec<i64> = old.maps("ports").map(number).filter(|number| *number != 0).collect();
    let mut seen: Vec<(&str, i64)> = Vec::new();
    for place in 0..spec.list("ports").len() {
        let Some(port) = spec.maps("ports").nth(place) else { break };
        let (own, protocol) = (number(port), port.str("protocol"));
        let given = match own {
            0 if !is_wanted => continue,
            0 => next_port(allocator)?,
            // Its own from before, or shared by two protocols of this service.
            _ if held.contains(&own) || seen.iter().any(|(_, number)| *number == own) => own,
            _ => reserve(spec, place, own, allocator)?,
        };
        if seen.contains(&(protocol, given)) {
            return Err(AllocationError::Internal(format!("duplicate nodePort: {{{protocol} {given}}}")));
        }
        seen.push((protocol, given));
        set_number(spec, place, given);
    }
    Ok(())
}

fn reserve(
    spec: &Map<'_>,
    place: usize,
    port: i64,
    allocator: &mut dyn Allocator,
) -> Result<i64, AllocationError> {
    allocator.port(port).map(|()| port).map_err(|why| port_error(spec, place, port, why.to_string()))
}

fn next_port(allocator: &mut dyn Allocator) -> Result<i64, AllocationError> {
    let internal =
        |why: Unavailable| AllocationError::Internal(format!("failed to allocate a nodePort: {why}"));
    allocator.next_port().map_err(internal)
}

fn set_number(spec: &mut Map<'_>, place: usize, number: i64) {
    if let Some(port) = spec.maps_mut("ports").nth(place) {
        port.set("nodePort", number);
    }
}

fn health_check_port(spec: &mut Map<'_>, allocator: &mut dyn Allocator) -> Outcome {
    let asked = spec.int("healthCheckNodePort").unwrap_or_default();
    if asked != 0 {
        let text =
            |why: Unavailable| format!("failed to allocate requested HealthCheck NodePort {asked}: {why}");
        return allocator.port(asked).map_err(|why| AllocationError::Internal(text(why)));
    }
    let text = |why: Unavailable| format!("failed to allocate a HealthCheck NodePort 0: {why}");
    let port = allocator.next_port().map_err(|why| AllocationError::Internal(text(why)))?;
    spec.set("healthCheckNodePort", port);
    Ok(())
}
