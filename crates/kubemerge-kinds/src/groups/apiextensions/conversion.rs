//! How objects are converted between the versions of a definition: not at all, or by a webhook.

use super::definition::is_established;
use crate::field::Field;
use crate::format::dns1035_label;
use crate::groups::admissionregistration::webhook_client;
use crate::x509::bundle_problem;

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn validate(conversion: Field<'_>, old: Option<Field<'_>>) {
    if !conversion.is_set() {
        return;
    }
    let strategy = conversion.field("strategy");
    if !strategy.require("") {
        strategy.one_of(&["None", "Webhook"]);
    }
    let (config, versions) =
        (conversion.field("webhookClientConfig"), conversion.field("conversionReviewVersions"));
    if strategy.str() == "Webhook" {
        client_config(config, old);
        return review_versions(versions);
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if config.is_set() {
        config.forbidden(detail);
    }
    if !versions.is_empty() {
        versions.forbidden(detail);
    }
}

fn client_config(config: Field<'_>, old: Option<Field<'_>>) {
    if !config.is_set() {
        return config.required("required when strategy is set to Webhook");
    }
    webhook_client(config);
    let bundle = config.field("caBundle");
    if let (false, Some(problem)) = (old.is_none_or(may_have_any_bundle), bundle_problem(bundle.str())) {
        bundle.invalid(problem);
    }
}

/// Certificates are checked once the resources are served, unless the stored ones are no better.
fn may_have_any_bundle(old: Field<'_>) -> bool {
    let bundle = old.fields(["spec", "conversion", "webhook", "clientConfig", "caBundle"]);
    !is_established(old) || bundle_problem(bundle.str()).is_some()
}

fn review_versions(versions: Field<'_>) {
    if versions.require("") {
        return;
    }
    let mut seen = Vec::new();
    for version in versions.items() {
        if seen.contains(&version.str()) {
            version.invalid("duplicate version");
            continue;
        }
        seen.push(version.str());
        version.check(dns1035_label);
    }
    if !seen.iter().any(|version| REVIEW_VERSIONS.contains(version)) {
        versions.invalid(format!("must include at least one of {}", REVIEW_VERSIONS.join(", ")));
    }
}
