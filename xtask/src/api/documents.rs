//! Discovery and OpenAPI: every document of the real server, once.

use super::{
    exchange::{Call, Identities, Pair},
    kinds::{fetch, group_versions},
    trial::Trial,
};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Discovery in both forms.
pub(crate) fn discovery(pair: &mut Pair) -> Result<Vec<Trial>, String> {
    let mut trials = vec![
        trial("discovery", Call::get("/api")),
        trial("discovery", Call::get("/apis")),
        trial("discovery", Call::get("/api").accepting(AGGREGATED)),
        trial("discovery", Call::get("/apis").accepting(AGGREGATED)),
    ];
    for version in group_versions(&mut pair.real)? {
        let root = if version.contains('/') { "/apis" } else { "/api" };
        trials.push(trial("discovery", Call::get(format!("{root}/{version}"))));
        if let Some((group, _)) = version.split_once('/') {
            trials.push(trial("discovery", Call::get(format!("/apis/{group}"))));
        }
    }
    Ok(trials)
}

/// OpenAPI v2, and every path of v3.
pub(crate) fn openapi(pair: &mut Pair) -> Result<Vec<Trial>, String> {
    let mut trials =
        vec![trial("openapi", Call::get("/openapi/v2")), trial("openapi", Call::get("/openapi/v3"))];
    let index = fetch(&mut pair.real, "/openapi/v3")?;
    for path in index["paths"].as_object().into_iter().flat_map(|paths| paths.keys()) {
        trials.push(trial("openapi", Call::get(format!("/openapi/v3/{path}"))));
    }
    Ok(trials)
}

fn trial(area: &'static str, call: Call) -> Trial {
    let kind = call.path.clone();
    Trial { area, kind, call, identities: Identities::default() }
}
