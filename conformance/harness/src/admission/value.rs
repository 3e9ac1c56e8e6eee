//! Values that are likely to be wrong, or right somewhere else.

use serde_json::{Value, json};

use crate::rng::Rng;

const TEXTS: [&str; 64] = [
    "",
    "a",
    "UPPER",
    "a_b",
    "1a",
    "-a",
    "a-",
    "a.b",
    "a..b",
    "example.com/x",
    "a/b/c",
    "/",
    "/abs/path",
    "../x",
    "rel/path",
    "None",
    "Always",
    "IfNotPresent",
    "Never",
    "OnFailure",
    "TCP",
    "UDP",
    "SCTP",
    "HTTP",
    "http",
    "10.0.0.1",
    "10.0.0.01",
    "::1",
    "10.0.0.0/8",
    "256.1.1.1",
    "0",
    "1",
    "80",
    "65536",
    "1Gi",
    "100m",
    "1x",
    "50%",
    "150%",
    "In",
    "NotIn",
    "Exists",
    "DoesNotExist",
    "Gt",
    "Equal",
    "NoSchedule",
    "NoExecute",
    "ClusterIP",
    "NodePort",
    "LoadBalancer",
    "ExternalName",
    "Local",
    "Cluster",
    "ClientIP",
    "IPv4",
    "IPv6",
    "cpu",
    "memory",
    "storage",
    "metadata.name",
    "status.podIP",
    "nginx:1.27",
    " lead",
    "ünïcode",
];
const NUMBERS: [i64; 18] = [
    0,
    1,
    2,
    -1,
    3,
    10,
    30,
    80,
    100,
    101,
    443,
    1024,
    30000,
    65535,
    65536,
    2_147_483_647,
    2_147_483_648,
    -2_147_483_649,
];

/// A value of the same type that is unusual.
pub(super) fn odd_value(old: &Value, rng: &mut Rng) -> Value {
    // Now and then another type, so that decoding fails too.
    if rng.chance(4) {
        return any_value(rng);
    }
    match old {
        Value::String(_) if rng.chance(3) => "x".repeat(64).into(),
        Value::String(text) if rng.chance(15) => format!("{text}x").into(),
        Value::String(_) => (*rng.pick(&TEXTS)).into(),
        Value::Number(number) if rng.chance(20) => {
            number.as_i64().map_or(json!(1.5), |number| number.wrapping_add(1).into())
        }
        Value::Number(_) => (*rng.pick(&NUMBERS)).into(),
        Value::Bool(truth) => (!truth).into(),
        Value::Array(_) => json!([]),
        Value::Object(_) => json!({}),
        Value::Null => any_value(rng),
    }
}

/// A value of any type.
pub(super) fn any_value(rng: &mut Rng) -> Value {
    match rng.below(9) {
        0 | 1 => Value::Null,
        2 => rng.chance(50).into(),
        3 => (*rng.pick(&NUMBERS)).into(),
        4 => json!(1.5),
        5 | 6 => (*rng.pick(&TEXTS)).into(),
        7 => json!([]),
        _ => json!({}),
    }
}
