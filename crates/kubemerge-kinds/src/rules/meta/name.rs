//! How objects of a kind may be named.

use crate::format::{
    Problems, dns1035_label, dns1123_label, dns1123_subdomain, long_name, path_segment_name,
    path_segment_prefix,
};

/// A rule for names.
#[derive(Clone, Copy, Debug)]
pub enum NameRule {
    /// `example.com`: most kinds.
    Subdomain,
    /// The same names where Kubernetes declares the rule beside the type: other texts, and only the generated name
    /// is checked, not its prefix.
    LongName,
    /// `my-name`
    Label,
    /// `my-name`, not starting with a digit.
    Label1035,
    /// Any segment of a path.
    PathSegment,
    /// A check of its own; for prefixes the name is masked as for subdomains.
    Custom(fn(&str) -> Problems),
}

impl NameRule {
    /// What is wrong with a name.
    pub fn check(self, name: &str) -> Problems {
        match self {
            NameRule::Subdomain => dns1123_subdomain(name),
            NameRule::LongName => long_name(name),
            NameRule::Label => dns1123_label(name),
            NameRule::Label1035 => dns1035_label(name),
            NameRule::PathSegment => path_segment_name(name),
            NameRule::Custom(check) => check(name),
        }
    }

    /// What is wrong with the prefix of a generated name: it may end with a dash.
    pub fn check_prefix(self, prefix: &str) -> Problems {
        match self {
            NameRule::PathSegment => path_segment_prefix(prefix),
            NameRule::LongName => Problems::new(),
            _ => self.check(&mask_trailing_dash(prefix)),
        }
    }
}

/// A random suffix will follow the dash, so it counts as a letter (and takes the character before it along).
fn mask_trailing_dash(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut chars = rest.chars();
            chars.next_back();
            format!("{}a", chars.as_str())
        }
        _ => prefix.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::NameRule;

    #[test]
    fn a_declared_rule_looks_at_the_generated_name_alone() {
        // kube-apiserver reports metadata.name, and nothing about the prefix.
        assert!(NameRule::LongName.check_prefix("Bad_").is_empty());
        assert!(!NameRule::LongName.check("Bad_9sbrq").is_empty());
        assert!(!NameRule::Subdomain.check_prefix("Bad_").is_empty());
    }
}
